// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "bench/papers/mm/layout.hpp"

namespace mm {

/// dgemm alone: each rank does as many products of blocks as for its part of C, always of the same two.
class alone {
 public:
  alone(const layout& l, int rank)
      : l_(l), rank_(rank), x_(l.elements()), y_(l.elements()), c_(l.elements()), expected_(l.elements()) {
    for (std::size_t e = 0; e < l.elements(); ++e) {
      x_[e] = a_value(int(e), rank);
      y_[e] = b_value(int(e), rank);
    }
    for (int k = 0; k < l.blocks; ++k) multiply_block(l, x_.data(), y_.data(), expected_.data(), k == 0);
  }
  void multiply() {
    l_.for_each_product_of(rank_,
                           [this](int, int, int, bool first) { multiply_block(l_, x_.data(), y_.data(), c_.data(), first); });
  }
  bool agrees() const { return c_ == expected_; }

 private:
  layout l_;
  int rank_;
  std::vector<double> x_, y_, c_, expected_;
};

}  // namespace mm
