// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/inner/numbers.hpp"

namespace inner {

namespace am = armilla;

// parallel
/// A rank's part of a vector.
class vector_part {
 public:
  explicit vector_part(std::vector<double> elements) : elements_(std::move(elements)) {}
  double square() const { return dot(elements_, elements_); }

 private:
  std::vector<double> elements_;
};

/// The inner product of the vector with itself, on every rank.
inline double square(const am::distributed<vector_part>& vector) { return am::all_reduce(vector->square(), std::plus<>{}); }
// end of parallel

}  // namespace inner
