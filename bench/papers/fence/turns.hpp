// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <vector>

namespace fences {

/// What each thread shows before it meets the others, a cache line each.
class turns {
 public:
  explicit turns(int threads) : lines_(static_cast<std::size_t>(threads)) {}
  void show(int thread, long turn) { lines_[std::size_t(thread)].turn.store(turn, std::memory_order_relaxed); }
  /// Whether the next thread has come as far, too. It may be one turn ahead.
  bool met(int thread, long turn) const {
    return lines_[(std::size_t(thread) + 1) % lines_.size()].turn.load(std::memory_order_relaxed) >= turn;
  }

 private:
  struct alignas(64) line {
    std::atomic<long> turn{0};
  };
  std::vector<line> lines_;
};

}  // namespace fences
