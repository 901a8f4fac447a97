// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "bench/harness/row.hpp"

namespace bench::hand {

/// A barrier of all ranks that spin, in the first 4096 bytes of the scratch memory: a line for each of them. Collective.
class spin_barrier {
 public:
  explicit spin_barrier(const row_context& c) : c_(c), flags_(c.scratch<line>()) {
    flags_[c_.rank].word = 0;
    c_.sync();
  }
  void wait() {
    flags_[c_.rank].word.store(++round_, std::memory_order_release);
    for (int r = 0; r < c_.ranks; ++r)
      while (flags_[r].word.load(std::memory_order_acquire) < round_) c_.relax();
  }

 private:
  const row_context& c_;
  line* flags_;
  std::uint64_t round_ = 0;
};

}  // namespace bench::hand
