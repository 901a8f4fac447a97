// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/am/handler/continuation.hpp"
#include "armilla/base/core/context_head.hpp"
#include "armilla/global/address.hpp"

namespace armilla::detail {

struct launch;

/// The wait for an operation that goes by messages.
enum class remote_group : std::uint8_t { split, stores, blocking };
inline constexpr unsigned remote_groups = 3;

/// How a piece of far memory fared at its owner.
enum class remote_status : std::uint16_t { ok, not_open, outside, freed, lost };

/// The first failure of a group that has not been thrown.
struct remote_failure {
  remote_status status = remote_status::ok;
  const char* operation = nullptr;
  global_address at;
};

/// Pieces under way by message that complete together: of a blocking operation, on the stack of the fiber that waits for it, or
/// of an `event`. It is what runs at the end of each of them.
struct remote_wait : continuation {
  remote_wait() noexcept : continuation{&remote_wait::piece_over} {}
  static void piece_over(continuation* self, pending_op* piece);

  std::uint64_t left = 0;
  remote_failure failure;
  continuation* over = nullptr;  ///< runs when none is left, with null; it may free this
};

/// The part of the layer's state that inline functions touch; the rest is rank_memory.
struct memory_state {
  std::uint64_t unfinished[remote_groups] = {};  ///< pieces under way by message
  remote_wait* event = nullptr;                  ///< whose the next split-phase operation is; see completes_in
  bool failed = false;                           ///< a split-phase operation or a store failed; sync says so
  std::uint64_t per_rank_begin = 0;              ///< in the segment of every rank of this program
  std::byte* per_rank = nullptr;                 ///< this rank's copies
};

/// At the beginning of what communicates: the poll of `set_poll_every`. While that is set no access finds its memory by `direct`.
inline void count_call() {
  if (current_head != nullptr && current_head->each_call != nullptr) [[unlikely]]
    current_head->each_call(*current);
}

void start_memory(context&, const launch&);
void stop_memory(context&);

}  // namespace armilla::detail
