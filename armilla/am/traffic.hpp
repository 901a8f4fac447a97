// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/am/handler.hpp"
#include "armilla/base/types.hpp"
#include "armilla/ring/ring_writer.hpp"

namespace armilla::detail {

/// Heads a bundle: messages for one handler, one behind the other in a frame, each a multiple of 8 bytes.
struct bundle_header {
  handler_id handler;
  std::uint32_t length;  ///< bytes of the messages
};

/// Bytes that can be read where a frame lies, however short it is.
inline constexpr std::size_t least_frame = cache_line - frame_head;

/// What the messages of a bundle count as. They are counted when the bundle ends, so that appending one costs nothing more.
/// Uncounted ones are counted by their senders. Replies leave where a body may send no more: the rings bound them.
enum class traffic : std::uint8_t { uncounted, uncounted_statements, statements, questions, replies, uncounted_replies };
constexpr bool is_statement(traffic k) noexcept { return k == traffic::statements || k == traffic::uncounted_statements; }
constexpr bool is_reply(traffic k) noexcept { return k == traffic::replies || k == traffic::uncounted_replies; }

}  // namespace armilla::detail
