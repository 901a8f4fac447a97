// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/ring/host_layout.hpp"
#include "armilla/team/core/lines.hpp"

/// What lies in a rank's collective area, and in its staging area. Only the owner writes them. The first is read by the ranks of
/// the host, and holds on other hosts what the owner sends there; the second is read by the ranks of the host alone. Both start
/// as zeros.
///
///     collective area: 33 team slots | exchange lines for each rank, 33 times | boards, 33 times
///     staging area: a pair of lines for each rank of the host, and staging, 33 times
///
/// The collective areas of all ranks lie in each other: first slot 0 of each rank, then slot 1 of each, and so on. So the flags
/// of a team's members lie one behind the other, and a rank that looks at a thousand of them needs a few pages of page table, not
/// a thousand. An offset in an area is as above; `place` says where that lies.
///
/// Each team has all of this of its own: what two fibers do in two teams at the same time has no common order on all ranks. What
/// no team has touched takes no memory.
///
/// A team has boards that belong to its flat lines: what does not fit into the line, up to `board_bytes`, lies there. It is
/// written before the line's step. Short arrays have a board for each line, long ones fewer, which stay in the cache. What is
/// longer still goes through the staging, which is large enough that both sides of a fold seldom wait for the other.
namespace armilla::detail {

/// What a rank sends to one peer through its staging, and what it has taken from there. Two of them for each peer:
/// messages take them in turn, so that a message can be announced while the peer still reads how the last one lay.
struct alignas(cache_line) pair_line {
  enum kind : std::uint32_t { staged, segment, address, process };
  static constexpr std::uint32_t revoked = ~0u;  ///< an exception has taken the owner out of the collective
  enum access : std::uint32_t { untried, allowed, refused, reading };
  std::atomic<std::uint64_t> sent;   ///< chunks ever shown to the peer
  std::atomic<std::uint64_t> taken;  ///< chunks ever taken from the peer
  std::uint64_t total;               ///< bytes of the message
  std::uint64_t place;               ///< where its first chunk lies: offset in the staging or segment, or an address
  std::uint64_t chunk;               ///< bytes of a chunk
  std::uint32_t chunks;              ///< that fit into the place; they are used in turn
  kind where;
  /// Whether the owner may copy from the peer's process; where ranks are threads, whether it reads the peer's memory now. In the
  /// first of both lines.
  std::atomic<access> reads_peer;
  std::atomic<std::uint32_t> sign;  ///< of the collective that the message belongs to, or `revoked`
  std::uint64_t home;               ///< an address of the owner's process at which a peer may try that
};
static_assert(sizeof(pair_line) == cache_line);

/// Sizes, and offsets inside a collective or a staging area.
struct collective_layout {
  static constexpr std::uint32_t slots = 16;           ///< of teams that the program makes, and world
  static constexpr std::uint32_t ending_slot = slots;  ///< all ranks once more, for the end of run_main
  static constexpr std::uint32_t to_twin = slots + 1;  ///< from a team's slot to its twin's
  static constexpr std::uint32_t all_slots = 2 * slots + 1;
  static constexpr std::size_t slot_bytes = host_layout::team_slot_bytes;
  static_assert(sizeof(team_slot) <= slot_bytes);
  static_assert(all_slots == host_layout::team_slots && all_slots * slot_bytes == host_layout::team_flags_bytes);
  static_assert(board_layout::bytes_of_all <= board_layout::stride && board_layout::stride == host_layout::team_boards_bytes);

  std::uint32_t places = 1, locals = 1;  ///< as in host_layout

  // ---- of a collective area ----

  static constexpr std::size_t slot(std::uint32_t i) { return i * slot_bytes; }
  /// Lines for a peer in which all-to-all puts short parts, in two sets used in turn. None in very large jobs.
  constexpr std::uint32_t exchange_lines() const { return 128 / places < 16 ? 128 / places : 16; }
  constexpr std::size_t exchange(std::uint32_t i, rank_t r) const {
    return exchanges + i * host_layout::team_exchange_bytes + std::size_t(r) * 2 * exchange_lines() * sizeof(flag_line);
  }
  /// The first board of the team in slot `i`.
  static constexpr std::size_t board(std::uint32_t i) { return boards + i * host_layout::team_boards_bytes; }
  /// Bytes of the line that lies there; 0: it is a board.
  static constexpr std::size_t line_at(std::size_t offset) {
    if (offset >= boards) return 0;
    return offset < host_layout::team_flags_bytes && offset % slot_bytes == offsetof(team_slot, entered) ? sizeof(intention_line)
                                                                                                         : cache_line;
  }

  /// Where byte `offset` of r's area lies among all areas.
  constexpr std::size_t place(rank_t r, std::size_t offset) const {
    const kind k = kind_at(offset);
    return k.begin * places + ((offset - k.begin) / k.bytes * places + std::size_t(r)) * k.bytes + (offset - k.begin) % k.bytes;
  }
  /// The other way round: which rank's area it is, and the offset in it.
  constexpr rank_t owner_of(std::size_t place) const {
    const kind k = kind_at(place / places);
    return rank_t((place - k.begin * places) / k.bytes % places);
  }
  constexpr std::size_t offset_of(std::size_t place) const {
    const kind k = kind_at(place / places);
    const std::size_t behind = place - k.begin * places;
    return k.begin + behind / (k.bytes * places) * k.bytes + behind % k.bytes;
  }
  /// Bytes from there on that lie one behind the other.
  static constexpr std::size_t room_at(std::size_t offset) {
    if (offset >= host_layout::team_flags_bytes && offset < exchanges) return 0;  // nothing lies there
    const kind k = kind_at(offset);
    return k.bytes - (offset - k.begin) % k.bytes;
  }

  // ---- of a staging area ----

  constexpr std::size_t pair(std::uint32_t i, local_rank r) const {
    return i * team_bytes() + std::size_t(r) * 2 * sizeof(pair_line);
  }
  constexpr std::size_t pairs_bytes() const { return locals * 2 * sizeof(pair_line); }
  constexpr std::size_t staging(std::uint32_t i) const { return i * team_bytes() + align_up(pairs_bytes(), host_layout::page); }
  constexpr std::size_t staging_bytes() const { return team_bytes() - staging(0); }
  /// A transfer uses half of the staging.
  constexpr std::size_t staging_half() const { return (staging_bytes() / 2) & ~(host_layout::page - 1); }
  /// What each of `messages` of one transfer has of it: whole lines, one at least of as many as there are other ranks of the
  /// host.
  constexpr std::size_t staging_part(std::size_t messages) const { return (staging_half() / messages) & ~(cache_line - 1); }

 private:
  static constexpr std::size_t exchanges = align_up(host_layout::team_flags_bytes, host_layout::page);
  static constexpr std::size_t boards = exchanges + all_slots * host_layout::team_exchange_bytes;
  // What there is of once for each slot: slots, exchange lines or boards.
  struct kind {
    std::size_t begin, bytes;
  };
  static constexpr kind kind_at(std::size_t offset) {
    return offset >= boards      ? kind{boards, host_layout::team_boards_bytes}
           : offset >= exchanges ? kind{exchanges, host_layout::team_exchange_bytes}
                                 : kind{0, slot_bytes};
  }
  constexpr std::size_t team_bytes() const { return host_layout{places, locals}.team_staging_bytes(); }
};

}  // namespace armilla::detail
