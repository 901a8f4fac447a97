// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace bench {

/// What the coordinator and the ranks of a job in which one is to die tell each other, in a file that all of them map. Times are
/// those of now_ns().
struct death_note {
  static constexpr int most_ranks = 8;
  std::atomic<std::uint64_t> died;   ///< when; written just before
  std::atomic<std::int32_t> victim;  ///< its process, once there is traffic; -1: there is, and none is to die by itself
  std::atomic<std::uint64_t> heard[most_ranks];  ///< when each rank caught rank_lost, or could go on
};

/// The file, mapped; throws if that is impossible.
death_note& map_note(const std::string& file);

/// The longest time in milliseconds from a death to the error in any other rank, of `deaths` jobs. `loss_local`: of 4 ranks of
/// this host one is killed at a random moment. `survivors_ready`, `fence_ready`: of 8, until the others have a team of their own,
/// by `survivors`, or a fence has told all of them. `replaced_ready`: of 8, until another process in that place has answered all
/// others. `loss_hosts`: of two hosts with 2 ranks each one is cut off, with a time-out
/// of 2 s. Throws if a rank never hears of it, or a job does not end.
double loss_ms(const std::string& row, long deaths);

}  // namespace bench
