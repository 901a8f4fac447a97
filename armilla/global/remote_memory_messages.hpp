// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it. The messages with which memory is reached through its owner.
#include <cstdint>

#include "armilla/global/remote_memory.hpp"

namespace armilla::detail {

inline constexpr std::uint32_t remote_piece_limit = 8192;  ///< bytes that one of them moves at most

/// Whole memory: the network carries the bytes, straight between the two places; the sender names the transfer by a number.
/// `confirm` moves nothing: its reply tells that what came before it, stores above all, has been taken in.
enum class remote_request : std::uint16_t { read, write, atomic, deallocate, confirm, read_whole, write_whole };
inline constexpr bool whole(remote_request r) noexcept { return r >= remote_request::read_whole; }
inline constexpr std::uint64_t whole_limit = std::uint64_t{1} << 30;  ///< bytes of one

/// Heads each message of a two-way call or reply. A message is a multiple of 8 bytes; `size` counts all of it.
struct remote_head {
  std::uint32_t size;
  op_id name;            ///< of the asker's pending operation
  remote_status status;  ///< of a reply
  std::uint16_t reserved;
};

/// Behind it: the bytes to write, or operand and expected value (8 bytes each) of an atomic operation.
struct remote_two_way_call {
  remote_head head;
  std::uint64_t offset;  ///< the global address
  std::uint64_t where;
  std::uint32_t bytes;
  remote_request what;
  atomic_op op;
  std::uint8_t wants_old;
};
static_assert(sizeof(remote_head) == 16 && sizeof(remote_two_way_call) == 40);

/// A place in the receiver's memory, and a number. A store is the place of the data with the count of their bytes; with the bit
/// `signals` behind it the place of a counter with what is added to it; the bytes, rounded up to 8.
struct remote_place {
  static constexpr std::uint32_t signals = std::uint32_t{1} << 31;
  std::uint32_t number;
  std::uint16_t kind;
  std::uint16_t generation;
  std::uint64_t offset;
};

/// What comes back for a store into memory that is not there, or not open.
struct remote_refusal {
  std::uint64_t offset;  ///< the global address
  std::uint64_t where;
  remote_status status;
  std::uint16_t reserved[3];
};
static_assert(sizeof(remote_place) == 16 && sizeof(remote_refusal) == 24);

/// Starts a two-way call with `extra` bytes behind it; the caller fills them and calls `done`.
std::byte* append_two_way_call(rank_memory& m, const remote_piece& piece, remote_wait* waiter, remote_two_way_call two_way_call,
                               std::uint64_t extra);
/// What the owner says to access by `source` to `bytes` bytes of its memory; `written`: what is to be written there, else null.
remote_status judge(const rank_memory& m, rank_t source, global_address at, std::uint32_t bytes, std::uint8_t rights,
                    const std::byte* written);
/// What has been put into the open frame for `to` answers it, and leaves soon.
void end_reply(outbox& out, rank_t to);
/// The bytes at `at`, which lie here.
std::byte* place_here(const rank_memory& m, global_address at) noexcept;
/// A one-way store has failed: the next wait for stores says so.
void fail_store(rank_memory& m, remote_status status, global_address at) noexcept;
/// A piece is over at its owner: counts, and tells what waits.
void finish_piece(rank_memory& m, pending_op& piece, remote_status status);

inline constexpr handler_id remote_two_way_call_handler = well_known(handler_range::global, 0);
inline constexpr handler_id remote_reply_handler = well_known(handler_range::global, 1);
inline constexpr handler_id remote_store_handler = well_known(handler_range::global, 3);
inline constexpr handler_id remote_refusal_handler = well_known(handler_range::global, 4);

/// Whether `op` is a piece; rpc's operations are in the same pool.
inline bool is_piece(const pending_op& op) noexcept { return op.reply_handler == remote_reply_handler; }

}  // namespace armilla::detail
