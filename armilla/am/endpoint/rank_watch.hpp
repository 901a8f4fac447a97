// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace armilla::detail {

/// What a progress thread knows of its rank: whether that looks by itself, and when to ask again whether it still does.
///
/// That is after an eighth of the time for which it has looked: so a rank that polls for long is hardly disturbed, and one that
/// computes often is soon noticed. A rank that has looked for long, and then does not for a while, has perhaps only lost its
/// core: such a while takes eight times its length from the time for which it has looked.
class rank_watch {
 public:
  static constexpr std::uint64_t longest_nap_ns = 1'000'000;

  /// At `now` the rank has looked `looks` times, last at `looked` as far as is known, or it sleeps. It is away if it has not done
  /// so for `after_ns` (ARMILLA_PROGRESS_AFTER).
  void see(std::uint64_t now, std::uint64_t looks, std::uint64_t looked, bool sleeps, std::uint64_t after_ns) noexcept {
    if (looks != looks_ || !sleeps) asleep_ns_ = now;
    if (looks != looks_ || sleeps) {
      const std::uint64_t since = sleeps ? now : std::max(looked, since_ns_);  // two clocks
      if (away_) began_ns_ = since - left_of(since_ns_ - began_ns_, since - since_ns_);
      looks_ = looks;
      since_ns_ = since;
    }
    away_ = now - since_ns_ >= after_ns;
  }
  bool away() const noexcept { return away_; }
  /// Between two questions, while it is not away.
  std::uint64_t nap_ns(std::uint64_t now) const noexcept { return std::min((now - began_ns_) / naps, longest_nap_ns); }
  /// For how long it has slept without a look.
  std::uint64_t asleep_for(std::uint64_t now) const noexcept { return now - asleep_ns_; }

 private:
  static constexpr std::uint64_t naps = 8;
  static constexpr std::uint64_t longest_memory_ns = 8 * naps * longest_nap_ns;

  static std::uint64_t left_of(std::uint64_t looked_for, std::uint64_t away_for) noexcept {
    looked_for = std::min(looked_for, longest_memory_ns);
    return looked_for - std::min(naps * away_for, looked_for);
  }

  std::uint64_t looks_ = 0;
  std::uint64_t since_ns_ = 0;   // of its last look
  std::uint64_t began_ns_ = 0;   // to look, as far as that counts
  std::uint64_t asleep_ns_ = 0;  // since then, or the last time when it did not sleep
  bool away_ = false;
};

}  // namespace armilla::detail
