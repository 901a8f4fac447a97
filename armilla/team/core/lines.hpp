// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/limits.hpp"
#include "armilla/base/values/types.hpp"

/// The lines and boards by which the members of a team see each other. Where they lie: collective_area.hpp.
namespace armilla::detail {

/// A cache line that says "I have come to `step`", with what belongs to that step. `step` is written last. Its upper 16 bits are
/// the sign of the collective (intention.hpp).
struct alignas(cache_line) flag_line {
  static constexpr std::size_t payload_bytes = cache_line - sizeof(std::uint64_t);
  std::atomic<std::uint64_t> step;
  alignas(8) std::byte payload[payload_bytes];
};
static_assert(sizeof(flag_line) == cache_line);

/// The last collectives that the owner has entered, for members that find that it does something else.
struct alignas(cache_line) intention_line {
  static constexpr std::uint32_t kept = 39;  ///< more than a member may be ahead
  std::atomic<std::uint64_t> number;         ///< of the last one; written behind its entry
  std::atomic<std::uint64_t> what[kept];     ///< intention::word, by number modulo `kept`
};
static_assert(sizeof(intention_line) == 5 * cache_line);

/// Where the members that are left agree which these are: see agreement.cpp.
struct alignas(cache_line) survivor_board {
  static constexpr std::size_t words = most_lasting_ranks / 64;
  struct request {
    std::uint64_t highest_step;
    std::uint32_t free_slots;
    std::uint32_t unsettled;
  };
  std::atomic<std::uint64_t> step;  ///< the owner asks, or is ready to use the new team
  request wanted;                   ///< written before the step that asks
  static constexpr std::size_t lives = 4;
  /// Of the team's first member, by which of those that have had its place it is: the step, and whose proposal counts. Any member
  /// writes it. One that follows a lost rank may be the first of another team in this slot.
  std::atomic<std::uint64_t> decided[lives];
  std::atomic<std::uint64_t> asked_for;  ///< of rank 0 in world: 1 as soon as the program has asked any team for its survivors
  alignas(cache_line) std::atomic<std::uint64_t> proposal[words];  ///< a bit for each member that the owner found
  /// Beside them new ranks: `new_rank::word`; 0: none.
  std::atomic<std::uint64_t> new_ranks[most_new_ranks];
};
static_assert(sizeof(survivor_board) == 4 * cache_line);

/// A rank that came into the running job, and which life of its place it is (boot/host/membership.hpp).
struct new_rank {
  rank_t rank;
  std::uint32_t life;  ///< never 0
  std::uint64_t word() const noexcept { return std::uint64_t{life} << 32 | std::uint32_t(rank); }
  static new_rank from(std::uint64_t word) noexcept { return {rank_t(std::uint32_t(word)), std::uint32_t(word >> 32)}; }
};

/// What a new rank shows to those that may take it into a team: see growth.cpp.
struct alignas(cache_line) new_rank_board {
  static constexpr std::size_t lives = 4;
  /// What stays when it is lost: a member that looks late must find what the others found.
  struct life {
    std::atomic<std::uint64_t> ready;  ///< the team that it is ready to use
    survivor_board::request wanted;    ///< written once, before it asks
  };
  std::atomic<std::uint64_t> asks;  ///< its life, while it wants to be taken in
  life of_life[lives];              ///< by life

  life& of(std::uint32_t number) noexcept { return of_life[number % lives]; }
};
static_assert(sizeof(new_rank_board) == 2 * cache_line);

/// How far a rank has come in the last fences of a job that has lost ranks: see last_fence.cpp; and in others: living.cpp.
struct alignas(cache_line) end_board {
  struct counts {
    std::atomic<std::uint64_t> ranks_hash, created, processed;
  };
  static constexpr unsigned round_bits = 32;
  static constexpr std::uint64_t round_mask = (std::uint64_t{1} << round_bits) - 1;
  std::atomic<std::uint64_t> word;    ///< which of the fences, and in the lowest bits the round in it
  counts of[2];                       ///< by parity of the round
  std::atomic<std::uint64_t> passed;  ///< the last fence or barrier of all ranks
};
static_assert(sizeof(end_board) == cache_line);

/// The flags of one team. Its members agree on the slot; world has slot 0.
///
/// Steps never repeat or go back in a slot, also when it passes on to another team: a waiting rank takes any step that is
/// at least the one it waits for.
struct team_slot {
  static constexpr std::uint32_t flat_lines = 32;  ///< operations that a fast member may be ahead of a slow one
  static constexpr std::uint32_t rounds = 18;      ///< 16 of a pattern over as many ranks as can be, and two to fold the rest in
  flag_line closed;                                ///< the owner has let go of the team that began at this step
  flag_line flat[flat_lines];                      ///< by step: all members read all
  flag_line check[2];                              ///< checked jobs: what the owner is about to do
  flag_line pattern[2][rounds];                    ///< by parity of the step: trees, hypercube, dissemination
  intention_line entered;
  survivor_board survivors;
  end_board end;             ///< in world's slot
  new_rank_board new_ranks;  ///< likewise
};

/// The boards of a rank in a team. Each begins behind the one before it.
struct board_layout {
  static constexpr std::size_t board_bytes = 4096;
  static constexpr std::uint32_t long_boards = 4;
  static constexpr std::size_t short_board_bytes = 512;
  static constexpr std::size_t short_board_stride = short_board_bytes + cache_line;  ///< not all in the same sets of a cache
  /// From a rank's boards of a team to those of the next rank.
  static constexpr std::size_t stride = std::size_t{36} * 1024 + 11 * cache_line;
  static constexpr std::size_t bytes_of_all = long_boards * board_bytes + team_slot::flat_lines * short_board_stride;
  /// Where `bytes` bytes of `step` lie, counted from the first board.
  static constexpr std::size_t on_board(std::uint64_t step, std::size_t bytes) {
    return bytes > short_board_bytes ? step % long_boards * board_bytes
                                     : long_boards * board_bytes + step % team_slot::flat_lines * short_board_stride;
  }
};

}  // namespace armilla::detail
