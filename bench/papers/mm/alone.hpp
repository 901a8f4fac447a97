// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/mm/layout.hpp"

namespace mm {

/// dgemm alone: the same products as the versions do, each rank with copies of all blocks, so that nothing is fetched.
class alone {
 public:
  alone(const layout& l, int rank)
      : l_(l), whole_{l.blocks, l.side, 1}, rank_(rank), a_(whole_.room()), b_(whole_.room()), c_(whole_.room()) {
    begin(whole_, 0, a_.data(), b_.data(), c_.data());
  }
  void multiply() {
    l_.for_each_product_of(rank_, [this](int i, int j, int k, bool first) {
      multiply_block(l_, a_.data() + whole_.place(i, k), b_.data() + whole_.place(k, j), c_.data() + l_.place(i, j), first);
    });
  }
  bool agrees() const { return right(l_, rank_, c_.data()); }

 private:
  layout l_, whole_;
  int rank_;
  std::vector<double> a_, b_, c_;
};

}  // namespace mm
