// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/projected.hpp"
#include "armilla/algorithm/sets/sorted_ranges_inline.hpp"

/// Algorithms over ranges that are in order: merges, set operations and binary searches.
///
/// All members of the ranges' team call them. `less` is a strict weak order, and the ranges are in it, by what the projection
/// returns.
///
///     am::merge(a, b, out);
///     const std::size_t n = am::set_intersection(a, b, out);        // the first n of out
///     const std::size_t at = am::lower_bound(a, 5.0);
///
/// **Unsorted input.** A merge then has each element once, in some order, and the others give any result. A program with the
/// checked library throws `usage_error` on all members that names two elements.
///
/// **Errors.** Throws `usage_error` on all members, before anything is written, if `out` has too few elements. After an error of
/// `less` the elements of `out` are undefined.
///
/// **How.** Each member finds by bisection which elements of the inputs belong to its elements of the output, and reads them
/// where they are.
namespace armilla {

/// Merges two ranges into the first elements of `out`. Of equal elements those of `a` come first.
///
/// Throws `usage_error` if `out` shares elements with an input. Cost: three collectives, and log(n) reads to find what belongs to
/// a member. If the distribution of `out` is cyclic: room for as many elements, and one copy more.
template <distributed_range A, distributed_range B, distributed_range Out, class Less = std::less<>,
          class Projection = std::identity>
void merge(A&& a, B&& b, Out&& out, Less less = {}, Projection of = {}) {
  auto&& before = detail::related(less, of, of);
  detail::merge_into(detail::require_sized(detail::reading(a)), detail::require_sized(detail::reading(b)),
                     detail::require_sized(views::all(out)), "merge", before);
}

/// Merges the elements before index `middle` with the others. Stable. Cost: room for all elements once more.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
void inplace_merge(R&& r, std::size_t middle, Less less = {}, Projection of = {});

/// Writes the elements that are in `a` or in `b`, in order, to the first elements of `out`, and returns their number.
///
/// An element that is m times in `a` and n times in `b` is in the result max(m, n) times. One member works on all equal elements.
/// `out` may overlap the inputs.
template <distributed_range A, distributed_range B, distributed_range Out, class Less = std::less<>,
          class Projection = std::identity>
std::size_t set_union(A&& a, B&& b, Out&& out, Less less = {}, Projection of = {}) {
  auto&& before = detail::related(less, of, of);
  return detail::set_operation(detail::reading(a), detail::reading(b), views::all(out), "set_union", before, {true, true, true});
}

/// Writes the elements that are in both, as `set_union`.
template <distributed_range A, distributed_range B, distributed_range Out, class Less = std::less<>,
          class Projection = std::identity>
std::size_t set_intersection(A&& a, B&& b, Out&& out, Less less = {}, Projection of = {}) {
  auto&& before = detail::related(less, of, of);
  return detail::set_operation(detail::reading(a), detail::reading(b), views::all(out), "set_intersection", before,
                               {false, true, false});
}

/// Writes the elements of `a` that are not in `b`, as `set_union`.
template <distributed_range A, distributed_range B, distributed_range Out, class Less = std::less<>,
          class Projection = std::identity>
std::size_t set_difference(A&& a, B&& b, Out&& out, Less less = {}, Projection of = {}) {
  auto&& before = detail::related(less, of, of);
  return detail::set_operation(detail::reading(a), detail::reading(b), views::all(out), "set_difference", before,
                               {true, false, false});
}

/// Writes the elements that are in one of them only, as `set_union`.
template <distributed_range A, distributed_range B, distributed_range Out, class Less = std::less<>,
          class Projection = std::identity>
std::size_t set_symmetric_difference(A&& a, B&& b, Out&& out, Less less = {}, Projection of = {}) {
  auto&& before = detail::related(less, of, of);
  return detail::set_operation(detail::reading(a), detail::reading(b), views::all(out), "set_symmetric_difference", before,
                               {true, false, true});
}

/// Returns whether all elements of `b` are in `a`, each as often.
template <distributed_range A, distributed_range B, class Less = std::less<>, class Projection = std::identity>
bool includes(A&& a, B&& b, Less less = {}, Projection of = {});

/// Returns the index of the first element that is not less than `value`; the size if there is none. All members ask for the same
/// value. The range is in order, or at least has the elements that are less first.
template <distributed_range R, class T, class Less = std::less<>, class Projection = std::identity>
std::size_t lower_bound(R&& r, const T& value, Less less = {}, Projection of = {});

/// Returns the index of the first element that is greater than `value`; the size if there is none.
template <distributed_range R, class T, class Less = std::less<>, class Projection = std::identity>
std::size_t upper_bound(R&& r, const T& value, Less less = {}, Projection of = {});

/// Returns both: the range of the elements that are equal to `value`.
template <distributed_range R, class T, class Less = std::less<>, class Projection = std::identity>
std::pair<std::size_t, std::size_t> equal_range(R&& r, const T& value, Less less = {}, Projection of = {}) {
  const detail::algorithm_call all("equal_range");
  const std::size_t first = armilla::lower_bound(r, value, less, of), end = armilla::upper_bound(r, value, less, of);
  return {first, end < first ? first : end};
}

/// Returns whether an element is equal to `value`.
template <distributed_range R, class T, class Less = std::less<>, class Projection = std::identity>
bool binary_search(R&& r, const T& value, Less less = {}, Projection of = {}) {
  const detail::algorithm_call all("binary_search");
  const auto [first, end] = armilla::equal_range(r, value, less, of);
  return first < end;
}

// ---- Implementation only below ----

template <distributed_range R, class Less, class Projection>
void inplace_merge(R&& r, std::size_t middle, Less less, Projection of) {
  const detail::algorithm_call all("inplace_merge");
  const auto v = detail::require_sized(views::all(r));
  array<typename std::remove_cvref_t<decltype(v)>::value_type> merged(v.extent(), on(v.members()));
  armilla::merge(views::take(v.reading(), middle), views::drop(v.reading(), middle), merged, less, of);
  const detail::without_end last(all);
  armilla::copy(merged, v);
}

template <distributed_range A, distributed_range B, class Less, class Projection>
bool includes(A&& a, B&& b, Less less, Projection of) {
  auto&& related = detail::related(less, of, of);
  const detail::one_way<std::remove_reference_t<decltype(related)>> before{related};
  const auto x = detail::require_sized(detail::reading(a));
  const auto y = detail::require_sized(detail::reading(b));
  detail::require_one_team(y, x);
  detail::algorithm_call why("includes", x, y);
  bool all = true;
  const auto nothing = [](const auto&) {};
  detail::compare_sets(x, y, x.members(), "includes", why, before, nothing, nothing, [&all](const auto&) { all = false; });
  return detail::agree(x.members(), "includes", why, all, std::logical_and<>{});
}

template <distributed_range R, class T, class Less, class Projection>
std::size_t lower_bound(R&& r, const T& value, Less less, Projection of) {
  detail::require_function(less, "lower_bound");
  detail::require_function(of, "lower_bound");
  return detail::first_without(detail::require_sized(detail::reading(r)), "lower_bound",
                               "elements that are less than the value must come first",
                               [&](const auto& e) { return bool(std::invoke(less, std::invoke(of, e), value)); });
}

template <distributed_range R, class T, class Less, class Projection>
std::size_t upper_bound(R&& r, const T& value, Less less, Projection of) {
  detail::require_function(less, "upper_bound");
  detail::require_function(of, "upper_bound");
  return detail::first_without(detail::require_sized(detail::reading(r)), "upper_bound",
                               "elements that are not greater than the value must come first",
                               [&](const auto& e) { return !bool(std::invoke(less, value, std::invoke(of, e))); });
}

}  // namespace armilla
