// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/mm/layout.hpp"

namespace mm {

namespace am = armilla;
using block_pointer = am::global_ptr<const double>;

/// A, B and C, each rank's blocks in its segment. All ranks make theirs together, and end them together.
class matrices : public layout {
 public:
  explicit matrices(const layout& l)
      : layout(l),
        a_(am::all_gather(am::allocate<double>(room()))),
        b_(am::all_gather(am::allocate<double>(room()))),
        c_(room()) {
    reset();
    am::barrier();
  }
  ~matrices() {
    am::barrier();
    am::deallocate(mine(a_));
    am::deallocate(mine(b_));
  }
  matrices(const matrices&) = delete;
  matrices& operator=(const matrices&) = delete;

  void reset() { begin(*this, am::rank(), mine(a_).local(), mine(b_).local(), c_.data()); }
  bool agrees() const { return right(*this, am::rank(), c_.data()); }

  block_pointer a(int i, int j) const { return a_[std::size_t(owner(i, j))] + std::ptrdiff_t(place(i, j)); }
  block_pointer b(int i, int j) const { return b_[std::size_t(owner(i, j))] + std::ptrdiff_t(place(i, j)); }
  double* own_c(int i, int j) { return c_.data() + place(i, j); }
  const double* own_c(int i, int j) const { return c_.data() + place(i, j); }

 private:
  using pointers = std::vector<am::global_ptr<double>>;
  static am::global_ptr<double> mine(const pointers& all) { return all[std::size_t(am::rank())]; }

  pointers a_, b_;  ///< by rank
  std::vector<double> c_;
};

/// A product of blocks while others may want blocks of this rank: where the job receives by signals, they interrupt it.
inline void multiply_attentively(const layout& l, const double* x, const double* y, double* c, bool first) {
  const am::interruptible here;
  multiply_block(l, x, y, c, first);
}

}  // namespace mm
