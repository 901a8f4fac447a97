// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/splitc.hpp>

#include "bench/papers/mm/matrices.hpp"

/// mm in Split-C's words: both blocks of a product are got in bulk, wherever they lie. Paper: Split-C on the Paragon, section 5.
namespace mm::in_splitc {
using namespace armilla::splitc;
using armilla::splitc::sync;

// parallel
class multiplication {
 public:
  explicit multiplication(matrices& m) : m_(m), x_(m.elements()), y_(m.elements()) {}
  void multiply() {
    const std::size_t bytes = m_.elements() * sizeof(double);
    m_.for_each_product_of(MYPROC, [&](int i, int j, int k, bool first) {
      const global<const double*> a = m_.a(i, k), b = m_.b(k, j);
      bulk_get(x_.data(), a, bytes);
      bulk_get(y_.data(), b, bytes);
      sync();
      multiply_attentively(m_, x_.data(), y_.data(), m_.own_c(i, j), first);
    });
  }

 private:
  matrices& m_;
  std::vector<double> x_, y_;
};
// end of parallel

}  // namespace mm::in_splitc
