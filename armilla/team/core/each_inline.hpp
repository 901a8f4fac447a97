// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/base/values/types.hpp"
#include "armilla/sendable.hpp"

// What the templates of each.hpp are made of.
namespace armilla {
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
  bool alike = true;  ///< the members' lengths are the same so far
};

[[noreturn, gnu::cold]] void throw_unlike_lengths();

/// Combines two ranges of one length by combining their elements.
template <class Op>
struct each_combined {
  Op op;
  template <class V>
  each_value<V> operator()(const each_value<V>& a, const each_value<V>& b) {
    each_value<V> both = a;
    both.alike = a.alike && b.alike && a.values.size() == b.values.size();
    for (std::size_t i = 0; both.alike && i < b.values.size(); ++i) both.values[i] = op(a.values[i], b.values[i]);
    return both;
  }
};

template <class V>
V require_alike(each_value<V>&& all) {
  if (!all.alike) [[unlikely]]
    throw_unlike_lengths();
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
