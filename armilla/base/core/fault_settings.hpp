// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// What ARMILLA_FAULTS says. Times in nanoseconds, the others probabilities of a frame.
///
/// Delay, reordering between pairs, a slow and a stopped rank are what every network does now and then: all must work under
/// them. Order within a pair and that frames come once is a promise of networks, but `remote_link` numbers frames and needs
/// neither. No layer above expects a lost frame: with `drop`, `reliable` stands between.
struct fault_settings {
  std::uint64_t delay_ns = 0;
  std::uint64_t jitter_ns = 0;  ///< each frame, and each bulk transfer, comes later by up to this
  double reorder = 0;           ///< held back until frames of other pairs have overtaken it
  double swap = 0;              ///< the same, and those of its own pair, too
  double duplicate = 0;         ///< comes once more, some time later
  double drop = 0;
  double stop = 0;              ///< the receiver does not look for a millisecond
  std::uint64_t linger_ns = 0;  ///< its end takes so long, and whoever uses it meanwhile ends the process
  rank_t slow = no_rank;        ///< this rank looks only every 50 us
  std::uint64_t seed = 1;

  bool any() const noexcept {
    return delay_ns != 0 || jitter_ns != 0 || reorder > 0 || swap > 0 || duplicate > 0 || drop > 0 || stop > 0 ||
           linger_ns != 0 || slow != no_rank;
  }

  /// "delay=100us,reorder=0.1,drop=0.02,seed=7"; throws `usage_error` that names the word, and what is allowed.
  static fault_settings from(std::string_view text);
};

}  // namespace armilla::detail
