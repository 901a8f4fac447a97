// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/elementwise/elementwise_inline.hpp"

/// Algorithms that do the same with each element: `for_each`, `transform`, `copy`, `fill` and the like.
///
///     am::transform(x, y, [](double e) { return e + 1; });            // y[i] = x[i] + 1; the distributions may differ
///     am::for_each(am::views::zip(std::as_const(x), y), [](double a, double& b) { b += a; });
///
/// All members of the range's team call them, in the same order. `std::as_const(x)` says that `x` is only read.
///
/// **What each rank does.** Each rank works on the indices whose elements it has in the first range that is written. Elements of
/// other ranks are used in place if this rank maps them; otherwise they are fetched in pieces of 1 MiB, and written back if
/// written.
///
/// **Complete.** An algorithm ends in one agreement of all members, which is a barrier. With `am::nowait` as the first argument
/// it has none (armilla/nowait.hpp).
///
/// **Overlap.** An output may be an input. If it shares elements with an input at other indices, all members throw `usage_error`
/// before anything is written.
///
/// **Errors.** What a function throws ends the algorithm: all members throw `remote_error` with the text and the index of the
/// element. Elements that were changed stay changed. Throws `usage_error` on all members if an output has too few elements.
///
/// **Cost.** One pass over the local elements, and the agreement.
namespace armilla {

/// Calls `f(e)` for each element; of a zip, `f(a, b, ...)` if `f` takes its members.
template <distributed_range R, class F>
void for_each(R&& r, F f) {
  detail::for_each_in(views::all(r), "for_each", f);
}

/// Calls `f(e)` for each of the first `n` elements. Throws `usage_error` if there are fewer.
template <distributed_range R, class F>
void for_each_n(R&& r, std::size_t n, F f) {
  detail::for_each_in(views::slice(r, 0, n), "for_each_n", f);
}

/// Calls `f(i, e)` for each element `e`, whose index is `i`.
template <distributed_range R, class F>
void for_each_index(R&& r, F f) {
  detail::assign_by_index(views::all(r), "for_each_index", std::move(f));
}

/// Sets element i of `out` to `f(element i of in)`. `f` runs on the rank of the element of `out`.
template <distributed_range In, distributed_range Out, class F>
void transform(In&& in, Out&& out, F f) {
  detail::assign_each(detail::reading(in), views::all(out), "transform", std::move(f));
}

/// Sets element i of `out` to `f(element i of a, element i of b)`, for as many elements as the shorter input has.
template <distributed_range A, distributed_range B, distributed_range Out, class F>
void transform(A&& a, B&& b, Out&& out, F f) {
  detail::assign_each(views::zip(detail::reading(a), detail::reading(b)), views::all(out), "transform", std::move(f));
}

/// Copies element i of `in` to element i of `out`.
///
/// Of a filtered or flattened range, the elements are copied one after the other, and `copy` returns their number; that takes two
/// collectives, and room for them.
template <distributed_range In, distributed_range Out>
auto copy(In&& in, Out&& out) {
  return detail::copy_all(detail::reading(in), views::all(out));
}

/// Copies the first `n` elements of `in`.
template <distributed_range In, distributed_range Out>
void copy_n(In&& in, std::size_t n, Out&& out) {
  detail::copy_all(views::slice(detail::reading(in), 0, n), views::all(out));
}

/// Sets all elements to `value`.
template <distributed_range R, class T>
void fill(R&& r, const T& value) {
  detail::generate_in(views::all(r), "fill", [&value] { return value; });
}

/// Sets the first `n` elements to `value`.
template <distributed_range R, class T>
void fill_n(R&& r, std::size_t n, const T& value) {
  detail::generate_in(views::slice(r, 0, n), "fill_n", [&value] { return value; });
}

/// Sets each element to what `f()` returns. Each member calls its own copy of `f`, in the order of its elements.
template <distributed_range R, class F>
void generate(R&& r, F f) {
  detail::generate_in(views::all(r), "generate", std::move(f));
}

/// Sets each of the first `n` elements to what `f()` returns.
template <distributed_range R, class F>
void generate_n(R&& r, std::size_t n, F f) {
  detail::generate_in(views::slice(r, 0, n), "generate_n", std::move(f));
}

/// Sets the elements to `first`, `first + 1`, ...
template <distributed_range R, class T>
void iota(R&& r, T first) {
  detail::assign_by_index(views::all(r), "iota", [first](std::size_t i, auto& e) { e = T(first + T(i)); });
}

/// Replaces elements that are equal to `old` by `value`.
template <distributed_range R, class T, class U = T>
void replace(R&& r, const T& old, const U& value) {
  armilla::for_each(r, [&](auto& e) {
    if (e == old) e = value;
  });
}

/// Replaces elements for which `predicate` holds by `value`.
template <distributed_range R, class P, class T>
void replace_if(R&& r, P predicate, const T& value) {
  detail::require_function(predicate, "replace_if");
  armilla::for_each(r, [&](auto& e) {
    if (predicate(std::as_const(e))) e = value;
  });
}

/// Copies `in` to `out`, with `value` instead of elements that are equal to `old`.
template <distributed_range In, distributed_range Out, class T, class U = T>
void replace_copy(In&& in, Out&& out, const T& old, const U& value) {
  armilla::transform(in, out, [&](const auto& e) { return e == old ? std::decay_t<decltype(e)>(value) : e; });
}

/// Copies `in` to `out`, with `value` instead of elements for which `predicate` holds.
template <distributed_range In, distributed_range Out, class P, class T>
void replace_copy_if(In&& in, Out&& out, P predicate, const T& value) {
  detail::require_function(predicate, "replace_copy_if");
  armilla::transform(in, out, [&](const auto& e) { return predicate(e) ? std::decay_t<decltype(e)>(value) : e; });
}

/// Exchanges the elements of two ranges, as many as the shorter one has.
///
/// If one is distributed cyclically and the other one differently, it takes room for as many elements, and three copies.
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
