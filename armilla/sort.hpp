// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/algorithm/order/sort_inline.hpp"

/// Order. Comparators are strict weak orders of what the projection gives: false for equal elements (`<`, not `<=`), and if a
/// comes before b and b before c, a before c. One that is not leaves each element there once, in some order; a checked program
/// throws a usage_error on all members that names two elements. Comparators and projections are called on any rank, with copies
/// of elements. NaNs come last, whatever their signs, also where a projection gives them. Each element comes out bit for bit:
/// -0.0 and +0.0 are equal, and each keeps its sign. A range that is sorted keeps its distribution, whatever the keys are. What a
/// comparator throws ends the algorithm on all members with that error.
namespace armilla {

/// Sorts a range. Elements of which none comes first may change places.
///
///     am::sort(x);
///     am::sort(people, std::greater<>{}, &person::age);
///
/// How: a sample says which elements surely belong to which member and which lie around the borders between members; each member
/// deals its elements, all find the exact borders among those few, each takes its share in one copy, and sorts that. Equal
/// elements spread over members as any others do. Numbers are sorted by vector instructions. A range that is in order costs one
/// pass, one in reversed order that and a copy.
///
/// Cost: two passes and one copy beside the local sort; memory once more that of the elements, and twice for views and for
/// elements that are dealt in turn. Errors: limit_error on all members if there is no room. If a comparator throws, the elements
/// are all there, in any order. Paper: STAPL, p_sort.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void sort(R&& r, Comp comp = {}, Proj proj = {}) {
  detail::sort_range(views::all(r), "sort", false, comp, proj);
}

/// The same, and elements of which none comes first stay in the order of their indices: reversed order is turned round where it
/// has no equal elements. Cost: the local sort takes half as much memory once more.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void stable_sort(R&& r, Comp comp = {}, Proj proj = {}) {
  detail::sort_range(views::all(r), "stable_sort", true, comp, proj);
}

}  // namespace armilla
