// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "bench/papers/mm/matrices.hpp"

namespace mm {

/// Split-C's way: a bulk get of each block that lies elsewhere, into room for two blocks.
// parallel
class by_get {
 public:
  explicit by_get(matrices& m) : m_(m), x_(m.elements()), y_(m.elements()) {}
  void multiply() {
    m_.for_each_product_of(am::rank(), [this](int i, int j, int k, bool first) {
      const double* x = here(m_.a(i, k), x_);
      const double* y = here(m_.b(k, j), y_);
      am::sync_memory();
      multiply_attentively(m_, x, y, m_.own_c(i, j), first);
    });
  }

 private:
  static const double* here(block_pointer block, std::vector<double>& room) {
    if (block.is_local()) return block.local();
    am::get(std::span(room), block);
    return room.data();
  }

  matrices& m_;
  std::vector<double> x_, y_;
};
// end of parallel

}  // namespace mm
