// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it. The messages with which memory is reached through its owner.
#include <cstdint>

#include "armilla/global/far_access.hpp"

namespace armilla::detail {

inline constexpr std::uint32_t far_piece_limit = 8192;  ///< bytes that one of them moves at most

/// Whole memory: the network carries the bytes, straight between the two places; the sender names the transfer by a number.
/// `confirm` moves nothing: its reply tells that what came before it, stores above all, has been taken in.
enum class far_request : std::uint16_t { read, write, atomic, deallocate, confirm, read_whole, write_whole };
inline constexpr bool whole(far_request r) noexcept { return r >= far_request::read_whole; }
inline constexpr std::uint64_t whole_limit = std::uint64_t{1} << 30;  ///< bytes of one

/// Heads each message of a question or reply. A message is a multiple of 8 bytes; `size` counts all of it.
struct far_head {
  std::uint32_t size;
  op_id name;         ///< of the asker's pending operation
  far_status status;  ///< of a reply
  std::uint16_t reserved;
};

/// Behind it: the bytes to write, or operand and expected value (8 bytes each) of an atomic operation.
struct far_question {
  far_head head;
  std::uint64_t offset;  ///< the global address
  std::uint64_t where;
  std::uint32_t bytes;
  far_request what;
  atomic_op op;
  std::uint8_t wants_old;
};
static_assert(sizeof(far_head) == 16 && sizeof(far_question) == 40);

/// A place in the receiver's memory, and a number. A store is the place of the data with the count of their bytes; with the bit
/// `signals` behind it the place of a counter with what is added to it; the bytes, rounded up to 8.
struct far_place {
  static constexpr std::uint32_t signals = std::uint32_t{1} << 31;
  std::uint32_t number;
  std::uint16_t kind;
  std::uint16_t generation;
  std::uint64_t offset;
};

/// What comes back for a store into memory that is not there, or not open.
struct far_refusal {
  std::uint64_t offset;  ///< the global address
  std::uint64_t where;
  far_status status;
  std::uint16_t reserved[3];
};
static_assert(sizeof(far_place) == 16 && sizeof(far_refusal) == 24);

/// Starts a question with `extra` bytes behind it; the caller fills them and calls `done`.
std::byte* append_question(rank_memory& m, const far_piece& piece, far_wait* waiter, far_question question, std::uint64_t extra);
/// What the owner says to access by `source` to `bytes` bytes of its memory; `written`: what is to be written there, else null.
far_status judge(const rank_memory& m, rank_t source, global_address at, std::uint32_t bytes, std::uint8_t rights,
                 const std::byte* written);
/// What has been put into the open frame for `to` answers it, and leaves soon.
void end_reply(outbox& out, rank_t to);
/// The bytes at `at`, which lie here.
std::byte* place_here(const rank_memory& m, global_address at) noexcept;
/// A one-way store has failed: the next wait for stores says so.
void fail_store(rank_memory& m, far_status status, global_address at) noexcept;
/// A piece is over at its owner: counts, and tells what waits.
void finish_piece(rank_memory& m, pending_op& piece, far_status status);

inline constexpr handler_id far_question_handler = well_known(handler_range::global, 0);
inline constexpr handler_id far_reply_handler = well_known(handler_range::global, 1);
inline constexpr handler_id far_store_handler = well_known(handler_range::global, 3);
inline constexpr handler_id far_refusal_handler = well_known(handler_range::global, 4);

/// Whether `op` is a piece; rpc's operations are in the same pool.
inline bool is_piece(const pending_op& op) noexcept { return op.reply_handler == far_reply_handler; }

}  // namespace armilla::detail
