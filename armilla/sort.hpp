// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/algorithm/order/sort_inline.hpp"

/// Sorting of distributed ranges.
///
/// Use `stable_sort` to preserve the order of equal elements, otherwise `sort`. To sort keys with values in another range or
/// indices, and for partial sorts, see armilla/order.hpp; to merge sorted ranges, see armilla/sorted_ranges.hpp.
///
///     am::sort(x);
///     am::sort(people, std::greater<>{}, &person::age);
///
/// All members of the range's team call them. The elements are in order when they return. The range keeps its distribution.
///
/// **Comparators** are strict weak orders of what the projection returns: false for equal elements (`<`, not `<=`), and if a
/// comes before b and b before c, then a before c. If the comparator is not a strict weak order, the range afterwards contains
/// the same elements in unspecified order; with the checked library, all members throw a `usage_error` that names two elements.
/// Comparators and projections are called on any rank, with copies of elements.
///
/// **Floating-point numbers.** NaNs come last, whatever their signs, also if a projection returns them. -0.0 and +0.0 are equal,
/// and each keeps its sign.
///
/// **Errors.** If a comparator throws, the algorithm ends on all members with that error; the range then contains the same
/// elements in any order. Throws `limit_error` on all members if there is no room.
///
/// **Algorithm.** The members exchange a sample, which determines the destination of most elements. The exact splitters are then
/// found among the few remaining elements. Only then do elements move between members: each member copies its share once and
/// sorts it. Equal elements are distributed over members as any others. Numbers are sorted with vector
/// instructions. Elements of up to 32 bytes whose projection is a number (`am::sort(x, {}, &item::price)`) are sorted by a radix
/// sort.
///
/// **Cost.** Two passes and one copy in addition to the local sort. A range that is in order takes one pass; a range in reverse
/// order takes one pass and a copy. Memory: as much again as the elements occupy, and twice as much for views, for cyclic
/// distributions, and if one member has most of the elements; they are then sorted in even blocks.
///
/// Paper: STAPL, p_sort.
namespace armilla {

/// Sorts a range. The sort is not stable.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void sort(R&& r, Comp comp = {}, Proj proj = {}) {
  detail::sort_range(views::all(r), "sort", false, comp, proj);
}

/// Sorts a range. Equal elements stay in the order of their indices.
///
/// Cost: as for `sort`, plus memory for half of the rank's elements in the local sort, or for all of them in a radix sort. A
/// range in reverse order is reversed if it has no equal elements.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void stable_sort(R&& r, Comp comp = {}, Proj proj = {}) {
  detail::sort_range(views::all(r), "stable_sort", true, comp, proj);
}

}  // namespace armilla
