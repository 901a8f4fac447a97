// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team/core/each_inline.hpp"

namespace armilla {

/// Makes a reduction combine vectors or arrays element by element, each element with those at its index.
///
///     std::vector<double> sums = am::all_reduce(am::each(mine), std::plus<>{});
///
/// All members give the same number of elements, otherwise the reduction throws `usage_error` on the ranks that have its result.
/// Cost: that of the reduction of a vector, and a vector for each combination.
template <class V>
detail::each_of<V> each(const V& values) noexcept {
  return {values};
}

}  // namespace armilla
