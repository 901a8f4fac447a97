// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "armilla/base/values/limits.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/local_ranks.hpp"

namespace armilla::detail {

/// How a job_block begins: whether it is one, and how long its memory is.
struct job_head {
  static constexpr std::uint64_t good_magic = 0x31616c6c696d7261;  // "armilla1"
  static constexpr std::uint32_t good_version = 21;                // of all of docs/spec/wire.md

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t places;                     ///< numbers that a rank can have
  std::uint64_t ring_bytes, segment_bytes;  ///< of the host_layout
  local_ranks locals;                       ///< with places in this memory
};

enum class presence : std::uint32_t { living, lost, coming };

/// Whether a rank lives, and in which life of its place. One word for each rank:
///
///     living, life 0 -> lost -> coming -> living, life 1 -> lost ...
///
/// Each new rank gets a greater number than all that have come into the job before it, in any place. So a number tells which of
/// two new ranks came first, and whether a team that knows the lives of its members was made before a rank came.
///
/// A spare place begins in the middle: `lost`, in life 0. What tells of a loss makes it `lost`. Where new ranks come
/// (ARMILLA_ON_LOSS=replace, ARMILLA_MAX_RANKS), the supervisor makes it `coming` when it lets a process in, for one place at a
/// time; that process makes it `living` when all ranks that live have handed over (new_rank.hpp). If it ends before, the
/// supervisor makes it `lost` again.
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

/// Why ranks have left the job.
struct departure {
  std::atomic<std::uint32_t> complete;  ///< its number, from 1; 0: it is being written
  std::int32_t first, last;             ///< of the ranks; one, unless a process of several ended
  std::uint32_t life;                   ///< of the first: which of those that have had this place
  char host[64];                        ///< empty: not known
  char cause[176];                      ///< what follows "rank 2"
};
static_assert(sizeof(departure) == 256);

/// Which ranks are in the job, and why each other one left, as far as this host has heard. It is in the memory that the ranks
/// of a host share. All that depends on it reads it again when `epoch` has changed. Changes: watch/tell_loss.hpp.
// Model: tests/models/order/losses.rs
struct membership : job_head {
  static constexpr std::uint32_t most_departures = most_lasting_ranks;  ///< that are remembered

  std::uint32_t goes_on;       ///< the ranks that are left go on when one is lost
  std::uint32_t replaces;      ///< and another process takes its place
  std::uint32_t spare_places;  ///< the last so many of `places` are for ranks that join later

  alignas(cache_line) std::atomic<std::uint32_t> epoch;  ///< changes with every change: waits look at this
  std::atomic<std::uint32_t> departures_begun;
  departure departures[most_departures];  ///< in the order in which this host heard of them; the oldest are written over
  std::atomic<std::uint32_t> life_word[most_ranks];

  rank_life life(rank_t r) const noexcept { return rank_life::from(life_word[r].load(std::memory_order_acquire)); }
  /// Null: it is in the job, or comes. In a spare place that no rank has had: that it has not joined.
  const departure* why_left(rank_t r) const noexcept;

  /// Ranks of the start: the places behind them are spare.
  rank_t world_size() const noexcept { return rank_t(places - spare_places); }
  /// Whether a rank has ever lived in that place.
  bool was_taken(rank_t r) const noexcept { return r < world_size() || life(r).number != 0; }
  /// Whether no rank has had that place, and none comes.
  bool is_unused(rank_t r) const noexcept { return !was_taken(r) && life(r).now == presence::lost; }
  /// Ranks of the start, and those that have joined since: up to the highest of them.
  rank_t ranks_seen() const noexcept {
    auto n = rank_t(places);
    while (n > 1 && is_unused(n - 1)) --n;
    return n;
  }
  /// Whether ranks come into the running job: in places of lost ones, or in spare ones.
  bool takes_new_ranks() const noexcept { return replaces != 0 || spare_places != 0; }

  /// The life of the rank that came into the job last; 0: none has.
  std::uint32_t newest_life() const noexcept {
    std::uint32_t newest = 0;
    for (std::uint32_t r = 0; r < places; ++r) newest = std::max(newest, life(rank_t(r)).number);
    return newest;
  }
  /// The life that begins next in that place, while it is `coming`: only one place is. The lives of a place use its boards in
  /// turn.
  std::uint32_t next_life(rank_t r) const noexcept {
    const std::uint32_t newest = newest_life(), before = life(r).number;
    return newest + 1 + (before - newest) % lives_on_boards;
  }

  /// Makes it `next`, if it is `now` still. `tell_change` (watch/tell_loss.hpp) begins the epoch in which others see it.
  bool change(rank_t r, rank_life now, rank_life next) noexcept {
    std::uint32_t word = now.word();
    return life_word[r].compare_exchange_strong(word, next.word(), std::memory_order_acq_rel);
  }
};

}  // namespace armilla::detail
