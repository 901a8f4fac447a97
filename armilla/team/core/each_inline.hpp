// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/base/values/types.hpp"
#include "armilla/sendable.hpp"

// What the templates of each.hpp are made of.
namespace armilla {
class team;
namespace detail {

/// What `each` gives. Holds a reference: for the argument of a reduction only.
template <class V>
struct each_of {
  const V& values;
};

/// What is reduced: an operation that throws on some members only would leave the others waiting.
template <class V>
struct each_value {
  V values;
  rank_t from;             ///< the member of which their number is
  rank_t other = no_rank;  ///< a member that gives another number
  std::uint32_t other_length = 0;
};

[[noreturn, gnu::cold]] void throw_unlike_lengths(const team& t, rank_t from, std::size_t length, rank_t other,
                                                  std::size_t other_length);

/// Combines two ranges of one length by combining their elements.
template <class Op>
struct each_combined {
  Op op;
  template <class V>
  each_value<V> operator()(const each_value<V>& a, const each_value<V>& b) {
    each_value<V> both = a;
    if (a.other != no_rank) return both;
    if (b.other != no_rank) return b;
    if (a.values.size() == b.values.size())
      for (std::size_t i = 0; i < b.values.size(); ++i) both.values[i] = op(a.values[i], b.values[i]);
    else
      both.other = b.from, both.other_length = std::uint32_t(b.values.size());
    return both;
  }
};

template <class V>
V require_alike(const team& t, each_value<V>&& all) {
  if (all.other != no_rank) [[unlikely]]
    throw_unlike_lengths(t, all.from, all.values.size(), all.other, all.other_length);
  return std::move(all.values);
}

/// The elements of V, but not V itself, can be combined by Op.
template <class Op, class V>
concept combines_elements_only = !requires(Op op, const V& v) { V(op(v, v)); } && requires(Op op, const V& v) {
  V(v)[0] = op(v[0], v[0]);
};
/// Op combines values of T, whole or by elements.
template <class Op, class T>
concept reduces = requires(Op op, const T& v) { T(op(v, v)); } || combines_elements_only<Op, T>;
/// Op combines nothing of a T.
template <class Op, class T>
concept no_operation_on = !reduces<Op, T>;

/// T can be no value of a collective, nor a span, of which collectives take the elements.
template <class T>
concept unsendable = !sendable_value<T> && (std::is_same_v<T, std::string_view> ||
                                            !requires(const T& v) { std::span<const typename T::value_type>(v); });
template <class T>
[[noreturn]] void refuse_value() {
  require_sendable_value<T>();
  __builtin_unreachable();
}

}  // namespace detail
}  // namespace armilla
