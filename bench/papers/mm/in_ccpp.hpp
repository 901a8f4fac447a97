// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/ccpp.hpp>

#include "bench/papers/mm/matrices.hpp"

/// mm in CC++'s words: both blocks of a product are what RPCs return, wherever they lie. Paper: MRPC, figure 1 (bulk reads).
namespace mm::in_ccpp {
using namespace armilla::ccpp;

// parallel
/// A rank's blocks as a processor object.
class blocks {
 public:
  explicit blocks(global<matrices*> at) : m_(*at.local()) {}
  std::vector<double> a(int i, int j) const { return copy_of(m_.a(i, j)); }
  std::vector<double> b(int i, int j) const { return copy_of(m_.b(i, j)); }

  struct methods : armilla::ccpp::methods<blocks> {
    rpc<&blocks::a> a{this};
    rpc<&blocks::b> b{this};
  };

 private:
  std::vector<double> copy_of(block_pointer block) const { return {block.local(), block.local() + m_.elements()}; }
  const matrices& m_;
};

class multiplication {
 public:
  explicit multiplication(matrices& m) : m_(m), blocks_(am::all_gather(new_object<blocks>(am::rank(), am::to_global(&m)))) {}
  void multiply() {
    m_.for_each_product_of(am::rank(), [&](int i, int j, int k, bool first) {
      std::vector<double> x, y;
      par([&] { x = blocks_[std::size_t(m_.owner(i, k))]->a(i, k); }, [&] { y = blocks_[std::size_t(m_.owner(k, j))]->b(k, j); });
      multiply_attentively(m_, x.data(), y.data(), m_.own_c(i, j), first);
    });
  }

 private:
  matrices& m_;
  std::vector<global<blocks*>> blocks_;
};
// end of parallel

}  // namespace mm::in_ccpp
