// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/types.hpp"

namespace armilla::detail {

/// Where everything lies in the memory that all ranks of a host map: offsets from its start.
///
///     job block | control page of each rank | collective area of each rank | rings | segment of each rank
///
/// The file behind it is sparse: what is not touched costs nothing, so a segment can grow to `segment_bytes` and rings
/// exist for every ordered pair of ranks and lane, without a word to any peer.
struct host_layout {
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t huge_page = 2 * 1024 * 1024;  ///< segments begin at one, so that large pages can back them
  static constexpr std::size_t job_bytes = 80 * page;        ///< owned by boot: what runs, how it ended
  static constexpr std::size_t control_bytes = 4 * page;     ///< owned by boot: sleep flag, futex, what the rank waits for
  /// What rings carry: for a rank; for its progress thread, one-sided access and what is safe beside the rank; that one's
  /// replies.
  enum lane : int { to_rank, to_progress_thread, from_progress_thread, lanes };
  static constexpr std::size_t ring_header = 2 * cache_line;  ///< before the lines of a ring: the reader's position

  std::uint32_t places = 1;               ///< numbers that a rank can have
  std::uint64_t ring_bytes = 128 * 1024;  ///< payload lines of one ring, a power of two
  std::uint64_t segment_bytes = 1 << 30;  ///< reserved for each rank's segment, a multiple of the page

  static constexpr std::size_t team_slots = 33;  ///< teams that a rank can be in, one way or another
  static constexpr std::size_t team_slot_bytes = page + 7 * cache_line;
  static constexpr std::size_t team_flags_bytes = team_slots * team_slot_bytes;  ///< their flags, together in front

  static constexpr std::size_t team_boards_bytes = 36 * 1024;
  /// For each team: a few lines for each rank, staging with a line at least for each, and boards.
  constexpr std::size_t team_area_bytes() const {
    return (places <= 256 ? 640 * 1024 : places <= 512 ? 224 * 1024 : 384 * 1024) + team_boards_bytes;
  }
  /// A rank's collective area, owned by team.
  constexpr std::size_t collective_bytes() const { return align_up(team_flags_bytes, page) + team_slots * team_area_bytes(); }
  constexpr std::uint64_t ring_stride() const { return align_up(ring_header + ring_bytes, page); }
  constexpr std::uint64_t job() const { return 0; }
  constexpr std::uint64_t control(rank_t r) const { return job_bytes + std::uint64_t(r) * control_bytes; }
  constexpr std::uint64_t collective(rank_t r) const { return control(rank_t(places)) + std::uint64_t(r) * collective_bytes(); }
  constexpr std::uint64_t ring(int lane, rank_t from, rank_t to) const {
    return collective(rank_t(places)) +
           ((std::uint64_t(lane) * places + std::uint64_t(to)) * places + std::uint64_t(from)) * ring_stride();
  }
  constexpr std::uint64_t segment(rank_t r) const {
    return align_up(ring(lanes, 0, 0), huge_page) + std::uint64_t(r) * segment_bytes;
  }
  constexpr std::uint64_t total() const { return segment(rank_t(places)); }
};

}  // namespace armilla::detail
