// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla::detail {

/// How long small messages were buffered before their frame left, by destination: from the first message of a frame on. A clock
/// is read twice for each frame.
class buffer_times {
 public:
  explicit buffer_times(rank_t ranks) : longest_(std::size_t(ranks)) { static_cast<void>(ns_per_tick()); }

  /// A frame leaves whose first message came at `since` (ticks). Returns the nanoseconds between.
  std::uint64_t note(rank_t to, std::uint64_t since, counters& count) noexcept {
    const auto ns = std::uint64_t(double(ticks() - since) * ns_per_tick());
    std::uint64_t& longest = longest_[std::size_t(to)];
    longest = std::max(longest, ns);
    ++count.buffered_frames;
    count.buffered_ns += ns;
    return ns;
  }
  void restart() noexcept { std::ranges::fill(longest_, 0); }
  /// Nanoseconds, by destination.
  const std::vector<std::uint64_t>& longest() const noexcept { return longest_; }

 private:
  std::vector<std::uint64_t> longest_;
};

}  // namespace armilla::detail
