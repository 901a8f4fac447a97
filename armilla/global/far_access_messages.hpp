// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it. The two messages with which memory is reached through its owner.
#include <cstdint>

#include "armilla/global/far_access.hpp"

namespace armilla::detail {

inline constexpr std::uint32_t far_piece_limit = 8192;  ///< bytes that one of them moves at most

/// Whole memory: the network carries the bytes, straight between the two places; the sender names the transfer by a number.
enum class far_request : std::uint16_t { read, write, atomic, deallocate, read_whole, write_whole };
inline constexpr bool whole(far_request r) noexcept { return r >= far_request::read_whole; }
inline constexpr std::uint64_t whole_limit = std::uint64_t{1} << 30;  ///< bytes of one

/// Begins both; items are multiples of 8 bytes, and `size` counts all of one.
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

/// Starts a question with `extra` bytes behind it; the caller fills them and calls `done`.
std::byte* append_question(rank_memory& m, const far_piece& piece, far_wait* waiter, far_question question, std::uint64_t extra);
/// A piece is over at its owner: counts, and tells what waits.
void finish_piece(rank_memory& m, pending_op& piece, far_status status);

inline constexpr handler_id far_question_handler = well_known(handler_range::global, 0);
inline constexpr handler_id far_reply_handler = well_known(handler_range::global, 1);

/// Whether `op` is a piece; rpc's operations are in the same pool.
inline bool is_piece(const pending_op& op) noexcept { return op.reply_handler == far_reply_handler; }

}  // namespace armilla::detail
