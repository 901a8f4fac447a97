// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/job_block.hpp"

/// Whether a rank lives, and in which life of its place. One word of the job block for each rank:
///
///     living, life 0 -> lost -> coming -> living, life 1 -> lost ...
///
/// Each new rank gets a greater number than all that have come into the job before it, in any place. So a number tells which of
/// two new ranks came first, and whether a team that knows the lives of its members was made before a rank came.
///
/// A spare place begins in the middle: `lost`, in life 0. What tells of a loss makes it `lost`. Where new ranks come
/// (ARMILLA_ON_LOSS=replace, ARMILLA_MAX_RANKS), the supervisor makes it
/// `coming` when it lets a process in, for one place at a time; that process makes it `living` when all ranks that
/// live have handed over (new_rank.hpp). If it ends before, the supervisor makes it `lost` again.
// Model: tests/models/order/losses.rs
namespace armilla::detail {

enum class presence : std::uint32_t { living, lost, coming };

struct rank_life {
  std::uint32_t number = 0;  ///< of the life; 0: a rank of the start, or an unused place
  presence now = presence::living;

  static constexpr rank_life from(std::uint32_t word) noexcept { return {word >> 2, presence(word & 3)}; }
  constexpr std::uint32_t word() const noexcept { return number << 2 | std::uint32_t(now); }
};

/// Where generations of names begin in that life of a place: 1 in the first, and far from those of the lives before, so that
/// names of long ago find nothing. Never 0.
constexpr std::uint32_t first_generation(std::uint32_t life) noexcept {
  const std::uint32_t spread = 1 + life * 0x9e3779b9u;
  return spread != 0 ? spread : 1;
}

/// The life, of those up to `last`, to which a generation belongs: names of one life are used up far from the next one's.
constexpr std::uint32_t life_of_generation(std::uint32_t generation, std::uint32_t last) noexcept {
  std::uint32_t found = last;
  for (std::uint32_t life = 0; life < last; ++life)
    if (generation - first_generation(life) < generation - first_generation(found)) found = life;
  return found;
}

/// How many lives of one place have boards of their own in layer team, by number modulo this.
inline constexpr std::uint32_t lives_on_boards = 4;

inline rank_life life_of(const job_block& job, rank_t r) noexcept {
  return rank_life::from(job.life[r].load(std::memory_order_acquire));
}

/// The life of the rank that came into the job last; 0: none has.
inline std::uint32_t newest_life(const job_block& job) noexcept {
  std::uint32_t newest = 0;
  for (std::uint32_t r = 0; r < job.places; ++r) newest = std::max(newest, life_of(job, rank_t(r)).number);
  return newest;
}

/// The life that begins next in that place, while it is `coming`: only one place is. The lives of a place use its boards in turn.
inline std::uint32_t next_life(const job_block& job, rank_t r) noexcept {
  const std::uint32_t newest = newest_life(job), before = life_of(job, r).number;
  return newest + 1 + (before - newest) % lives_on_boards;
}

/// Ranks of the start: the places behind them are spare.
inline rank_t world_size(const job_block& job) noexcept { return rank_t(job.places - job.spare_places); }
/// Whether a rank has ever lived in that place.
inline bool was_taken(const job_block& job, rank_t r) noexcept { return r < world_size(job) || life_of(job, r).number != 0; }
/// Whether no rank has had that place, and none comes.
inline bool is_unused(const job_block& job, rank_t r) noexcept {
  return !was_taken(job, r) && life_of(job, r).now == presence::lost;
}
/// Ranks of the start, and those that have joined since: up to the highest of them.
inline rank_t ranks_seen(const job_block& job) noexcept {
  auto n = rank_t(job.places);
  while (n > 1 && is_unused(job, n - 1)) --n;
  return n;
}
/// Whether ranks come into the running job: in places of lost ones, or in spare ones.
inline bool takes_new_ranks(const job_block& job) noexcept { return job.replaces != 0 || job.spare_places != 0; }

/// Makes it `next`, if it is `now` still.
inline bool change_life(job_block& job, rank_t r, rank_life now, rank_life next) noexcept {
  std::uint32_t word = now.word();
  return job.life[r].compare_exchange_strong(word, next.word(), std::memory_order_acq_rel);
}

}  // namespace armilla::detail
