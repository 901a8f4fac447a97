// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "armilla/algorithm/elementwise/compaction_inline.hpp"
#include "armilla/algorithm/elementwise/copy_inline.hpp"

/// What elementwise algorithms do inside.
namespace armilla::detail {

template <class V, class F>
void for_each_in(const V& v, const char* operation, F& f) {
  require_function(f, operation);
  algorithm_call why(operation, v);
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { apply_at(f, c, k); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

/// Elements of `to` become f of those of `from`.
template <class From, class To, class F>
void assign_each(const From& from, const To& to, const char* operation, F f) {
  require_function(f, operation);
  require_room(operation, from.extent(), to.extent());
  require_same_or_apart(operation, from, to, from.extent());
  const zip_view<From, To> both(from, to);
  algorithm_call why(operation, to, from);
  enter(both);
  walk(both, why, [&](const auto c, std::size_t n, const indices& at) {
    const auto& [in, out] = c.from;
    each_of_piece(c, n, at, why, [&](std::size_t k) { out[k] = apply_at(f, in, k); });
    return !why.happened();
  });
  finish(to.members(), operation, why);
}

/// Of a range with a size nothing is returned; of one without how many elements have been copied, one behind the other.
template <class From, class To>
auto copy_all(const From& from, const To& to) {
  if constexpr (From::sized)
    copy_sized(from, to);
  else
    return copy_in_order(from, require_sized(to));
}

/// Exchanges elements in place; those of others are read and written in runs.
template <class A, class B>
void swap_in_place(const algorithm_call& all, const A& a, const B& b) {
  const without_end last(all);
  auto exchange = [](auto& x, auto& y) {
    auto kept = x;
    x = y;
    y = kept;
  };
  for_each_in(views::zip(a, b), "for_each", exchange);
}
/// The same where runs are short: elements of others are only read, and come in pieces.
template <class A, class B>
void swap_by_copies(const algorithm_call& all, const A& a, const B& b) {
  const std::size_t n = std::min(a.extent(), b.extent());
  vector<typename B::value_type> kept(n, on(a.members()));
  copy_sized(views::take(b, n).reading(), views::all(kept));
  copy_sized(views::take(a, n).reading(), views::take(b, n));
  const without_end last(all);
  copy_sized(views::all(kept).reading(), views::take(a, n));
}

template <class V, class F>
void generate_in(const V& v, const char* operation, F f) {
  require_function(f, operation);
  algorithm_call why(operation, v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { c[k] = f(); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

template <class V, class F>
void assign_by_index(const V& v, const char* operation, F f) {
  require_function(f, operation);
  algorithm_call why(operation, v);
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { f(at(k), c[k]); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

}  // namespace armilla::detail
