// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "bench/papers/mm/matrices.hpp"

namespace mm {

/// As `by_get`, but the blocks of the next product are on their way while this one is computed.
// parallel
class double_buffered {
 public:
  explicit double_buffered(matrices& m) : m_(m), now_(m.elements()), next_(m.elements()) {}
  void multiply() {
    bool any = false;
    m_.for_each_product_of(am::rank(), [this, &any](int i, int j, int k, bool first) {
      next_.fetch(m_.a(i, k), m_.b(k, j));
      next_.c = m_.own_c(i, j), next_.first = first;
      if (any) compute_now();
      any = true;
      am::sync_memory();
      std::swap(now_, next_);
    });
    if (any) compute_now();
  }

 private:
  /// A product whose blocks are wanted, on their way, or there.
  struct product {
    explicit product(std::size_t elements) : room_x(elements), room_y(elements) {}
    void fetch(block_pointer block_x, block_pointer block_y) {
      x = here(block_x, room_x);
      y = here(block_y, room_y);
    }
    static const double* here(block_pointer block, std::vector<double>& room) {
      if (block.is_local()) return block.local();
      am::get(std::span(room), block);
      return room.data();
    }
    std::vector<double> room_x, room_y;
    const double *x = nullptr, *y = nullptr;
    double* c = nullptr;
    bool first = false;
  };

  void compute_now() { multiply_attentively(m_, now_.x, now_.y, now_.c, now_.first); }

  matrices& m_;
  product now_, next_;
};
// end of parallel

}  // namespace mm
