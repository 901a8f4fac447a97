// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "bench/papers/common/threads.hpp"

namespace inner {

/// The vector in one process, multiplied by threads of OpenMP.
class openmp_vector {
 public:
  openmp_vector(std::size_t n, const papers::seats& threads);
  double square() const;

 private:
  std::size_t size_;
  int threads_;
  std::unique_ptr<double[]> elements_;
};

}  // namespace inner
