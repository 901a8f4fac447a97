// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/algorithm/order/sort_inline.hpp"

/// Sorting of distributed ranges.
///
/// Use `sort` if equal elements may change places, otherwise `stable_sort`. For keys with values in another range, for indices
/// and for a part of the order, see armilla/order.hpp; for merges of sorted ranges, armilla/sorted_ranges.hpp.
///
///     am::sort(x);
///     am::sort(people, std::greater<>{}, &person::age);
///
/// All members of the range's team call them. The elements are in order when they return. The range keeps its distribution.
///
/// **Comparators** are strict weak orders of what the projection returns: false for equal elements (`<`, not `<=`), and if a
/// comes before b and b before c, then a before c. With one that is not, each element is there once afterwards, in some order; a
/// checked program throws `usage_error` on all members that names two elements. Comparators and projections are called on any
/// rank, with copies of elements.
///
/// **Floating-point numbers.** NaNs come last, whatever their signs, also if a projection returns them. -0.0 and +0.0 are equal,
/// and each keeps its sign.
///
/// **Errors.** What a comparator throws ends the algorithm on all members with that error; the elements are then all there, in
/// any order. `limit_error` on all members if there is no room.
///
/// **How.** A sample says which elements surely belong to which member, and which are around the borders between members. Each
/// member distributes its elements, all find the exact borders among those few, and each copies its share once and sorts it.
/// Equal elements are distributed over members as any others. Numbers are sorted by vector instructions.
///
/// **Cost.** Two passes and one copy beside the local sort. A range that is in order takes one pass; one in reverse order takes
/// that and a copy. Memory: once more that of the elements, and twice for views and for cyclic distributions.
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
/// Cost: as `sort`; the local sort takes half as much memory once more. A range in reverse order is reversed where it has no
/// equal elements.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void stable_sort(R&& r, Comp comp = {}, Proj proj = {}) {
  detail::sort_range(views::all(r), "stable_sort", true, comp, proj);
}

}  // namespace armilla
