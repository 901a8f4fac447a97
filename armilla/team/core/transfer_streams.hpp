// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/team/core/aligned_bytes.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {

/// From so many bytes on: up to there, two copies through the staging are quicker than a system call.
inline constexpr std::uint64_t cross_from = 8 * 1024 + 1;

inline std::uint64_t chunks_of(std::uint64_t bytes, std::uint64_t chunk) { return bytes == 0 ? 1 : (bytes + chunk - 1) / chunk; }

/// A message under way to one peer.
struct out_stream {
  pair_state* pair;
  pair_line* line;        ///< where it is announced
  const pair_line* acks;  ///< the peer's two lines: the later one has the newer count
  rank_t to;
  const std::byte* data;
  std::uint64_t bytes;
  std::byte* place = nullptr;  ///< in the staging; null: read directly
  std::uint64_t chunk = 0;
  std::uint32_t chunks = 0;
  std::uint64_t next = 0;   ///< chunk to send
  std::uint64_t count = 0;  ///< chunks in all

  std::uint64_t taken() const;
  /// All is in the staging: what the peer does with it does not concern this transfer.
  bool left_alone() const { return next == count && place != nullptr; }
  std::uint64_t bytes_of(std::uint64_t i) const { return i + 1 < count ? chunk : bytes - i * chunk; }
};

/// The same to a peer on another host.
struct remote_out_stream {
  remote_pair* pair;
  rank_t to;
  const std::byte* data;
  std::uint64_t bytes;
  bool sent = false;
  bool zero_copy = false;  ///< the network moves `data` from where they lie
};

/// A message under way from one peer.
struct in_stream {
  pair_state* pair;
  const pair_line* line;
  rank_t from;
  std::uint32_t member;
  place_function place;
  void* self;
  std::byte* to = nullptr;
  const std::byte* source = nullptr;
  std::uint64_t total = 0;
  std::uint64_t chunk = 0;
  std::uint32_t chunks = 0;
  pair_line::kind where = pair_line::staged;
  std::uint64_t next = 0;
  std::uint64_t count = 0;  ///< 0: not announced yet
  take_function take = nullptr;
  std::uint64_t expected = 0;  ///< bytes, if they are taken
  std::int32_t behind = -1;    ///< the number of the stream whose pieces are taken before; -1: none
  remote_pair* far = nullptr;  ///< the peer is on another host: the message comes whole
  bool announced = false;      ///< and has not begun to move
  bool moving = false;
  aligned_bytes memory{};  ///< for one that is folded, or dropped

  /// Bytes that have been taken from the begin on.
  std::uint64_t done() const { return count == 0 ? 0 : next == count ? total : next * chunk; }
  std::uint64_t next_end() const { return count == 0 ? 0 : next + 1 >= count ? total : (next + 1) * chunk; }
};

}  // namespace armilla::detail
