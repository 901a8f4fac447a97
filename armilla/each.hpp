// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team/core/each_inline.hpp"

/// Reductions of ranges, element by element.
namespace armilla {

/// For a reduction of vectors or arrays whose elements are combined, each with those at its place:
///
///     std::vector<double> sums = am::all_reduce(am::each(mine), std::plus<>{});
///
/// All members give the same number of elements; else the reduction throws usage_error where its result would be. Cost: that of
/// the reduction of a vector, and one vector for each combining.
template <class V>
detail::each_of<V> each(const V& values) noexcept {
  return {values};
}

}  // namespace armilla
