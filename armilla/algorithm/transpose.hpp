// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/transpose_inline.hpp"

namespace armilla {

/// out(j, i) = in(i, j). The grids may differ; halos stay as they are. Called by all members. Each rank reads the cells of its
/// part of the output where they lie. usage_error on all if the extents do not fit. Cost: a meeting, one fetch from each member
/// that this rank does not map, the agreement.
template <class T>
void transpose(const matrix<T, 2>& in, matrix<T, 2>& out) {
  detail::turn(in, out);
}

}  // namespace armilla
