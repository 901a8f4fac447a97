// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// The number of a rank among those of its host, in ascending order: where what only they use lies. See
/// boot/host/local_ranks.hpp.
enum class local_rank : std::uint32_t {};

/// Where everything lies in the memory that all ranks of a host map: offsets from its start.
///
///     job block | control pages | network addresses | collective areas | staging areas | rings | segments
///
/// Addresses in a network and collective areas are there for each rank of the job: areas of ranks on other hosts hold what these
/// send. They lie team by team, so that what the members of a team look at is close together: collective_area.hpp. All else is
/// there for the ranks of the host alone. The file behind it is sparse: what is not touched costs nothing, so a segment can grow
/// to `segment_bytes` and rings exist for every ordered pair of local ranks and lane, without a word to any peer.
struct host_layout {
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t huge_page = 2 * 1024 * 1024;  ///< segments begin at one, so that large pages can back them
  static constexpr std::size_t job_bytes = 672 * page;       ///< owned by boot: what runs, how it ended
  static constexpr std::size_t control_bytes = 4 * page;     ///< owned by boot: sleep flag, futex, what the rank waits for
  static constexpr std::size_t address_bytes = 1024;         ///< owned by fabric: of a rank, where a network has such
  /// What rings carry: for a rank; for its progress thread, one-sided access and what is safe beside the rank; that one's
  /// replies.
  enum lane : int { to_rank, to_progress_thread, from_progress_thread, lanes };
  static constexpr std::size_t ring_header = 2 * cache_line;  ///< before the lines of a ring: the reader's position

  std::uint32_t places = 1;               ///< numbers that a rank of the job can have
  std::uint32_t locals = 1;               ///< of them those of this host
  std::uint64_t ring_bytes = 128 * 1024;  ///< payload lines of one ring, a power of two
  std::uint64_t segment_bytes = 1 << 30;  ///< reserved for each rank's segment, a multiple of the page

  static constexpr std::size_t team_slots = 33;  ///< teams that a rank can be in, one way or another
  static constexpr std::size_t team_slot_bytes = page + 19 * cache_line;
  static constexpr std::size_t team_flags_bytes = team_slots * team_slot_bytes;  ///< their flags, together in front
  // Neighbours' do not begin at the same place of a page: a processor compares the lower 12 bits of addresses first, and a load
  // of one would wait for a store to the other. How far apart was measured.
  static constexpr std::size_t team_exchange_bytes = 16 * 1024 + 3 * cache_line;  ///< a few lines for each peer
  static constexpr std::size_t team_boards_bytes = 36 * 1024 + 11 * cache_line;
  /// A rank's collective area, owned by team: what it shows to all members.
  static constexpr std::size_t collective_bytes =
      align_up(team_flags_bytes, page) + team_slots * (team_exchange_bytes + team_boards_bytes);
  /// For each team: two lines for each local rank, and staging with a line at least for each.
  constexpr std::size_t team_staging_bytes() const {
    return locals <= 256 ? 624 * 1024 : locals <= 512 ? 224 * 1024 : 384 * 1024;
  }
  /// A rank's staging area, owned by team: what it moves to others of its host.
  constexpr std::size_t staging_bytes() const { return team_slots * team_staging_bytes(); }
  constexpr std::uint64_t ring_stride() const { return align_up(ring_header + ring_bytes, page); }
  constexpr std::uint64_t job() const { return 0; }
  static constexpr std::uint64_t control(local_rank r) { return job_bytes + std::uint64_t(r) * control_bytes; }
  constexpr std::uint64_t addresses() const { return control(local_rank{locals}); }
  constexpr std::uint64_t collectives() const { return addresses() + align_up(places * address_bytes, page); }
  constexpr std::uint64_t collectives_bytes() const { return align_up(places * collective_bytes, page); }
  constexpr std::uint64_t staging(local_rank r) const {
    return collectives() + collectives_bytes() + std::uint64_t(r) * staging_bytes();
  }
  constexpr std::uint64_t ring(int lane, local_rank from, local_rank to) const {
    return staging(local_rank{locals}) +
           ((std::uint64_t(lane) * locals + std::uint64_t(to)) * locals + std::uint64_t(from)) * ring_stride();
  }
  constexpr std::uint64_t segment(local_rank r) const {
    return align_up(ring(lanes, {}, {}), huge_page) + std::uint64_t(r) * segment_bytes;
  }
  constexpr std::uint64_t total() const { return segment(local_rank{locals}); }
};

}  // namespace armilla::detail
