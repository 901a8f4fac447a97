// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "armilla/base/values/limits.hpp"
#include "armilla/base/values/types.hpp"

/// One run of `armilla-run --explore`: a job whose ranks take turns, one at a time, so that the same decisions give the same run.
///
/// armilla-run makes an `exploration` for each run and passes its descriptor on by ARMILLA_INTERNAL_EXPLORE. All ranks of the job
/// map it. Only the rank whose turn it is runs; it gives its turn away where it polls or waits. What is decided there, and where
/// messages arrive, follows from the seed and from how many decisions there were before.
namespace armilla::detail {

inline constexpr const char* exploration_variable = "ARMILLA_INTERNAL_EXPLORE";  // descriptor of an `exploration`

/// Lines that ranks write one after the other. What finds no room is left out.
template <std::size_t Room>
struct shared_lines {
  std::atomic<std::uint64_t> bytes;  ///< also those that found no room
  char text[Room];

  void add(std::string_view line) noexcept {
    const std::uint64_t at = bytes.fetch_add(line.size(), std::memory_order_relaxed);
    if (at + line.size() <= Room) line.copy(text + at, line.size());
  }
  std::string_view all() const noexcept {
    const std::uint64_t n = bytes.load(std::memory_order_acquire);
    return {text, n < Room ? std::size_t(n) : Room};
  }
};

struct exploration {
  static constexpr std::uint64_t good_magic = 0x31657270'6d726c41;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint64_t most_decisions = 200'000;  ///< of a run; later ones are the default's

  std::uint64_t magic;
  std::uint64_t seed;
  std::uint64_t limit;                 ///< decisions from this number on are the default's
  std::uint32_t explores;              ///< 0: a job as it always runs, of which only the outcomes are of interest
  std::uint32_t wants_log;             ///< the order of calls is written down
  std::atomic<std::uint32_t> entered;  ///< ranks
  std::atomic<std::uint64_t> decisions;
  std::atomic<std::uint32_t> turn;                           ///< the rank that runs, or `nobody`; a futex
  std::atomic<std::uint32_t> passes;                         ///< how often the turn has changed
  std::atomic<std::uint64_t> active[most_local_ranks / 64];  ///< a bit for each rank that takes turns
  shared_lines<std::size_t{1} << 16> outcomes;               ///< "rank 2: text"
  shared_lines<std::size_t{1} << 24> log;                    ///< "rank 1 runs f(int) of rank 0"

  /// Counts a decision. True: it is made by chance, with these `bits`; false: the default is taken.
  bool decide(std::uint64_t& bits) noexcept;
  /// Bits that follow from the seed alone: the manner of the run.
  std::uint64_t manner(std::uint32_t which) const noexcept;

  /// Rank `me` of `ranks` takes turns from now on: returns when all have entered and it is its turn. A rank that joins later does
  /// not wait for others.
  void enter(rank_t me, rank_t ranks, bool joins) noexcept;
  /// Others run; returns when it is the turn of `me` again. One that let go takes turns again. By default one that is `busy` goes
  /// on.
  void pass(rank_t me, rank_t ranks, bool busy) noexcept;
  /// `me` runs as it likes: it sleeps, or has ended.
  void let_go(rank_t me, rank_t ranks) noexcept;

 private:
  bool is_active(rank_t r) const noexcept;
  std::uint32_t next_of(rank_t me, rank_t ranks, bool busy) noexcept;
  std::uint32_t chosen_of(rank_t me, rank_t ranks, std::uint64_t number, std::uint64_t bits) const noexcept;
  std::uint32_t active_from(rank_t first, rank_t ranks) const noexcept;
  void give_to(std::uint32_t next) noexcept;
  void await_turn(rank_t me) noexcept;
};

/// What this job takes part in; null: no run of armilla-run --explore. Throws `usage_error` if the variable names something else.
exploration* exploration_here();

/// Maps the descriptor; null with `errno`.
exploration* map_exploration(int file) noexcept;

}  // namespace armilla::detail
