// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/types.hpp"
#include "armilla/ring/host_layout.hpp"
#include "armilla/team/lines.hpp"

/// What lies in a rank's collective area. Only the owner writes it; every rank of the host reads it. It starts as zeros.
///
///     33 team slots | 33 areas: a pair of lines for each rank | exchange lines for each rank | staging | boards
///
/// Each team has an area of its own: what two fibers do in two teams at the same time has no common order on all ranks. What no
/// team has touched takes no memory.
///
/// A team has boards that belong to its flat lines: what does not fit into the line, up to `board_bytes`, lies there. It is
/// written before the line's step. Short arrays have a board for each line, long ones fewer, which stay in the cache. What is
/// longer still goes through the staging, which is large enough that both sides of a fold seldom wait for the other.
namespace armilla::detail {

/// What a rank sends to one peer through its staging, and what it has taken from there. Two of them for each peer:
/// messages take them in turn, so that a message can be announced while the peer still reads how the last one lay.
struct alignas(cache_line) pair_line {
  enum kind : std::uint32_t { staged, segment, address, process };
  enum access : std::uint32_t { untried, allowed, refused };
  std::atomic<std::uint64_t> sent;   ///< chunks ever shown to the peer
  std::atomic<std::uint64_t> taken;  ///< chunks ever taken from the peer
  std::uint64_t total;               ///< bytes of the message
  std::uint64_t place;               ///< where its first chunk lies: offset in the staging or segment, or an address
  std::uint64_t chunk;               ///< bytes of a chunk
  std::uint32_t chunks;              ///< that fit into the place; they are used in turn
  kind where;
  std::atomic<access> reads_peer;  ///< whether the owner may copy from the peer's process; in the first of both lines
  std::uint32_t sign;              ///< of the collective that the message belongs to
  std::uint64_t home;              ///< an address of the owner's process at which a peer may try that
};
static_assert(sizeof(pair_line) == cache_line);

/// Sizes and offsets inside a collective area: every number that a rank can have has lines of its own.
struct collective_layout {
  static constexpr std::uint32_t slots = 16;           ///< of teams that the program makes, and world
  static constexpr std::uint32_t ending_slot = slots;  ///< all ranks once more, for the end of run_main
  static constexpr std::uint32_t to_twin = slots + 1;  ///< from a team's slot to its twin's
  static constexpr std::uint32_t all_slots = 2 * slots + 1;
  static constexpr std::size_t slot_bytes = host_layout::team_slot_bytes;
  static constexpr rank_t most_ranks = 1024;
  static_assert(sizeof(team_slot) <= slot_bytes);
  static_assert(all_slots == host_layout::team_slots && all_slots * slot_bytes == host_layout::team_flags_bytes);

  rank_t places = 1;  ///< numbers that a rank can have, as in host_layout

  static constexpr std::size_t slot(std::uint32_t i) { return i * slot_bytes; }
  constexpr std::size_t area_bytes() const { return host_layout{std::uint32_t(places)}.team_area_bytes(); }
  constexpr std::size_t area(std::uint32_t i) const { return align_up(slot(all_slots), host_layout::page) + i * area_bytes(); }
  constexpr std::size_t pair(std::uint32_t i, rank_t r) const { return area(i) + std::size_t(r) * 2 * sizeof(pair_line); }
  /// Lines for a peer in which all-to-all puts short parts, in two sets used in turn. None in very large jobs.
  constexpr std::uint32_t exchange_lines() const { return 128 / places < 16 ? std::uint32_t(128 / places) : 16; }
  constexpr std::size_t exchange(std::uint32_t i, rank_t r) const {
    return pair(i, places) + std::size_t(r) * 2 * exchange_lines() * sizeof(flag_line);
  }
  constexpr std::size_t staging(std::uint32_t i) const { return align_up(exchange(i, places), host_layout::page); }
  constexpr std::size_t staging_bytes() const { return board(0) - staging(0); }
  /// A transfer uses half of the staging.
  constexpr std::size_t staging_half() const { return (staging_bytes() / 2) & ~(host_layout::page - 1); }
  /// What each of `messages` of one transfer has of it: whole lines, one at least of as many as there are other ranks.
  constexpr std::size_t staging_part(std::size_t messages) const { return (staging_half() / messages) & ~(cache_line - 1); }
  /// Bytes of the line that lies there; 0: it is staging.
  constexpr std::size_t line_at(std::size_t offset) const {
    if (offset >= area(0) && (offset - area(0)) % area_bytes() >= staging(0) - area(0)) return 0;
    return offset < area(0) && offset % slot_bytes == offsetof(team_slot, entered) ? sizeof(intention_line) : cache_line;
  }

  static_assert(board_layout::bytes_of_all <= host_layout::team_boards_bytes);
  /// The first board of the team in slot `i`.
  constexpr std::size_t board(std::uint32_t i) const { return area(i + 1) - host_layout::team_boards_bytes; }
};

}  // namespace armilla::detail
