// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "bench/papers/mm/matrices.hpp"

namespace mm {

/// Where this rank can load another one's memory, dgemm reads the blocks there; else they are got.
// parallel
class direct {
 public:
  explicit direct(matrices& m) : m_(m), x_(m.elements()), y_(m.elements()) {}
  void multiply() {
    m_.for_each_product_of(am::rank(), [this](int i, int j, int k, bool first) {
      const double* x = loadable(m_.a(i, k), x_);
      const double* y = loadable(m_.b(k, j), y_);
      am::sync_memory();
      multiply_attentively(m_, x, y, m_.own_c(i, j), first);
    });
  }

 private:
  static const double* loadable(block_pointer block, std::vector<double>& room) {
    if (const double* there = block.local()) return there;
    am::get(std::span(room), block);
    return room.data();
  }

  matrices& m_;
  std::vector<double> x_, y_;
};
// end of parallel

}  // namespace mm
