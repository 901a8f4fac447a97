// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/algorithm/gemm_inline.hpp"

namespace armilla {

/// c = a b. Grids may differ; halos stay as they are. Called by all members. Each rank reads the blocks that its part of `c`
/// needs where they lie, and multiplies them by vector instructions. usage_error on all if the extents do not fit, or `c` is one
/// of the inputs. Cost: a meeting, a fetch of each block that this rank needs and does not map, the agreement.
template <detail::multiplied_number T>
void gemm(const matrix<T>& a, const matrix<T>& b, matrix<T>& c) {
  detail::product(T(1), a, b, T(0), c);
}
/// c = alpha a b + beta c. What `c` holds does not count where beta is 0.
template <detail::multiplied_number T>
void gemm(std::type_identity_t<T> alpha, const matrix<T>& a, const matrix<T>& b, std::type_identity_t<T> beta, matrix<T>& c) {
  detail::product<T>(alpha, a, b, beta, c);
}

}  // namespace armilla
