// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/elementwise/elementwise_inline.hpp"

/// Algorithms that do the same with each element. All members of the range's team call them; each works on its own elements, of
/// several ranges on those of the first that is written. An output may be an input; if it shares elements with one at other
/// positions, it is a usage_error on all members before anything moves. The others' elements are used where they lie if this
/// rank maps them, else fetched in pieces of 1 MiB. They end in one agreement, which is a barrier; with `am::nowait` as first
/// argument in none (`nowait.hpp`). What a function throws ends the algorithm: all members throw a remote_error with that text
/// and the element's index.
namespace armilla {

/// f(e) for each element e; of a zip f(a, b, ...) if f takes them so. One pass, no message but the agreement.
template <distributed_range R, class F>
void for_each(R&& r, F f) {
  detail::for_each_in(views::all(r), "for_each", f);
}
/// The same for the first n elements. usage_error if there are fewer.
template <distributed_range R, class F>
void for_each_n(R&& r, std::size_t n, F f) {
  detail::for_each_in(views::slice(r, 0, n), "for_each_n", f);
}
/// f(i, e) for each element e, whose index is i.
template <distributed_range R, class F>
void for_each_index(R&& r, F f) {
  detail::assign_by_index(views::all(r), "for_each_index", std::move(f));
}

/// Element i of `out` becomes f(element i of `in`), which is called where that of `out` is. usage_error if `out` has fewer.
template <distributed_range In, distributed_range Out, class F>
void transform(In&& in, Out&& out, F f) {
  detail::assign_each(detail::reading(in), views::all(out), "transform", std::move(f));
}
/// The same of two ranges, as many elements as the shorter has.
template <distributed_range A, distributed_range B, distributed_range Out, class F>
void transform(A&& a, B&& b, Out&& out, F f) {
  detail::assign_each(views::zip(detail::reading(a), detail::reading(b)), views::all(out), "transform", std::move(f));
}

/// Element i of `out` becomes element i of `in`, in runs where both lie side by side. usage_error if `out` has fewer. Of a
/// filtered or flattened range the elements come one behind the other, and copy returns how many there are; that takes two
/// meetings, and room for them.
template <distributed_range In, distributed_range Out>
auto copy(In&& in, Out&& out) {
  return detail::copy_all(detail::reading(in), views::all(out));
}
template <distributed_range In, distributed_range Out>
void copy_n(In&& in, std::size_t n, Out&& out) {
  detail::copy_all(views::slice(detail::reading(in), 0, n), views::all(out));
}

/// All elements become `value`.
template <distributed_range R, class T>
void fill(R&& r, const T& value) {
  detail::generate_in(views::all(r), "fill", [&value] { return value; });
}
template <distributed_range R, class T>
void fill_n(R&& r, std::size_t n, const T& value) {
  detail::generate_in(views::slice(r, 0, n), "fill_n", [&value] { return value; });
}
/// Each element becomes what f() returns. Each member calls its own copy of f, in the order of its elements.
template <distributed_range R, class F>
void generate(R&& r, F f) {
  detail::generate_in(views::all(r), "generate", std::move(f));
}
template <distributed_range R, class F>
void generate_n(R&& r, std::size_t n, F f) {
  detail::generate_in(views::slice(r, 0, n), "generate_n", std::move(f));
}
/// first, first + 1, ...
template <distributed_range R, class T>
void iota(R&& r, T first) {
  detail::assign_by_index(views::all(r), "iota", [first](std::size_t i, auto& e) { e = T(first + T(i)); });
}

/// Elements equal to `old` become `value`.
template <distributed_range R, class T, class U = T>
void replace(R&& r, const T& old, const U& value) {
  armilla::for_each(r, [&](auto& e) {
    if (e == old) e = value;
  });
}
template <distributed_range R, class P, class T>
void replace_if(R&& r, P predicate, const T& value) {
  detail::require_function(predicate, "replace_if");
  armilla::for_each(r, [&](auto& e) {
    if (predicate(std::as_const(e))) e = value;
  });
}
/// As copy, with `value` in the place of elements equal to `old`.
template <distributed_range In, distributed_range Out, class T, class U = T>
void replace_copy(In&& in, Out&& out, const T& old, const U& value) {
  armilla::transform(in, out, [&](const auto& e) { return e == old ? std::decay_t<decltype(e)>(value) : e; });
}
template <distributed_range In, distributed_range Out, class P, class T>
void replace_copy_if(In&& in, Out&& out, P predicate, const T& value) {
  detail::require_function(predicate, "replace_copy_if");
  armilla::transform(in, out, [&](const auto& e) { return predicate(e) ? std::decay_t<decltype(e)>(value) : e; });
}

/// Exchanges the elements of two ranges, as many as the shorter has. Where one is dealt in turn and the other differently: room
/// for as many elements, and three copies.
template <distributed_range A, distributed_range B>
void swap_ranges(A&& a, B&& b) {
  const detail::algorithm_call all("swap_ranges");
  const auto x = views::all(a);
  const auto y = views::all(b);
  detail::require_same_or_apart("swap_ranges", x, y, std::min(x.extent(), y.extent()));
  if (views::zip(x, y).common().known() || (x.ordered() && y.ordered()))
    detail::swap_in_place(all, x, y);
  else
    detail::swap_by_copies(all, x, y);
}

}  // namespace armilla
