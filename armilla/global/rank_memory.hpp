// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/remote_segments.hpp"
#include "armilla/global/address.hpp"
#include "armilla/global/directory.hpp"
#include "armilla/global/guard_words.hpp"
#include "armilla/global/memory_state.hpp"
#include "armilla/global/one_way_stores.hpp"
#include "armilla/global/retired_blocks.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {

/// A piece under way: what a reply may fill. Lies in its pending operation, at which the `remote_wait` stands, if it has one.
struct remote_piece {
  std::byte* into = nullptr;  ///< null: the reply brings no bytes
  const char* operation = nullptr;
  global_address at;
  std::uint32_t bytes = 0;
  remote_group group = remote_group::split;
  bool whole = false;  ///< the reply brings the number of a transfer into `into`
  remote_status status = remote_status::ok;
};
static_assert(pending_op::fits<remote_piece> && std::is_trivially_destructible_v<remote_piece>);

/// Layer global of one rank.
///
/// Its segment:   [ heap of the rank | per_rank objects | directory | heap that all ranks keep alike ]
/// The directory begins at the same place on every rank of the job, per_rank objects on every rank of a program.
struct rank_memory : memory_state {
  explicit rank_memory(context& c);

  context& self;
  endpoint& messages;
  const host_map& host;
  const bool opened;      ///< ARMILLA_ACCESS=opened
  const bool by_message;  ///< ARMILLA_ACCESS_BY_MESSAGE: as if nothing were mapped
  const std::uint64_t directory_at;
  const std::uint64_t symmetric_at;
  heap local;  ///< the message layer uses it too
  heap symmetric;
  std::vector<std::uint8_t> cross;  ///< by rank: does the kernel refuse to copy from there?
  remote_failure failure[remote_groups];
  unconfirmed_stores unconfirmed;
  guarded_blocks guarded;                       ///< of the checked library
  retired_blocks retired;                       ///< of the checked library
  std::unique_ptr<remote_segments> mapped_far;  ///< what a network maps of far ranks; null: it is not used
  /// By rank: while data are on their way there, whether they go to the rank itself, and not to its progress thread.
  zeroed_array<bool> behind_stores;

  /// Whether data for rank `r` may be on their way: what must come behind them takes the same way.
  bool under_way(rank_t r) const noexcept {
    return unfinished[unsigned(remote_group::split)] + unfinished[unsigned(remote_group::stores)] != 0 || unconfirmed.at(r);
  }
  /// The channel of what asks rank `r`: to its progress thread, if it has one; behind stores on their way to the rank itself.
  peer_channel& to_memory_of(rank_t r);
  /// Lets what follows take the way to rank `r` itself, behind stores by message. False: data are on their way to its progress
  /// thread, and a message to the rank would pass them.
  bool try_way_behind_stores(rank_t r);
  /// Whether the memory of `r` is reached by asking it.
  bool asks(rank_t r) const { return by_message || host.far[std::size_t(r)]; }

  segment_directory& directory(rank_t r) const {
    return *reinterpret_cast<segment_directory*>(host.segment_start(r) + directory_at);
  }
  /// The heap around that offset of r's segment, as seen from here.
  heap heap_at(rank_t r, std::uint64_t offset) const {
    return heap::attach(host.segment_start(r), offset >= symmetric_at ? symmetric_at : 0);
  }
  bool in_heap(rank_t r, std::uint64_t offset) const { return offset < directory(r).per_rank_begin || offset >= symmetric_at; }
};

/// The ranks that `direct` serves on rank `me`: `me` and those beside it, without a gap, that have a segment which can be loaded
/// from and stored to. The first one, and the one behind the last.
inline std::pair<rank_t, rank_t> direct_ranks(const std::byte* const* segment, rank_t ranks, rank_t me) noexcept {
  rank_t first = me, end = me + 1;
  while (first > 0 && segment[first - 1] != nullptr) --first;
  while (end < ranks && segment[end] != nullptr) ++end;
  return {first, end};
}

inline rank_memory& memory_of(context& c) { return static_cast<rank_memory&>(*c.memory); }
rank_memory& memory_here(const char* operation);

/// "rank 2, segment + 0x40" for errors.
std::string text_of(global_address at);
/// Throws the error that `status` stands for.
[[noreturn]] void throw_far(const char* operation, remote_status status, global_address at);
/// rank_lost where no rank has joined in that place yet: its memory would be cleared for one that does.
void require_taken(const rank_memory& m, rank_t r, const char* operation);
/// Whether an operation with these rights may touch `bytes` bytes at `at`, which lies on rank `owner` (checked where it is cheap:
/// directory and bounds; of a rank on another host by that rank itself).
remote_status admit(const rank_memory& m, rank_t owner, global_address at, std::uint64_t bytes, std::uint8_t rights,
                    bool open_only);

/// Rank `lost` answers no more: what was asked of it has failed.
void fail_pieces(context& self, rank_t lost);
/// The ranks that are left have agreed: what had failed because of a lost rank is no news to the waits that follow.
void forget_lost_pieces(context& self);

/// Also says, where orders are explored, which accesses have none.
void register_remote_handlers(context& self);

}  // namespace armilla::detail
