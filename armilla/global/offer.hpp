// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/global/rank_memory.hpp"

namespace armilla::detail {

/// A part of a long write to another process, offered to the owner of the memory: the kernel then copies on both cores at the
/// same time. The owner, which mostly waits for the bytes, takes the offer when it next takes in messages. It need not look: the
/// writer takes back what the owner has not begun.
///
/// The terms lie in a block of the writer's segment, and the message names it. Of a rank that takes and one that takes back, a
/// compare-exchange lets one succeed; the block is given back by the one of both that sees it last.
class copy_offer {
 public:
  static constexpr std::uint64_t worth_from = 128 * 1024;     ///< bytes of a write that is divided
  static constexpr std::uint64_t most_at_once = 1024 * 1024;  ///< so that one look of the owner does not last

  enum state : std::uint32_t { open, taken, done, refused, withdrawn };
  struct alignas(cache_line) terms {
    std::atomic<state> now;
    std::uint64_t from;  ///< address in the writer's process
    std::uint64_t to;    ///< address in the owner's
    std::uint64_t bytes;
  };

  /// Whether rank `owner` could copy: the kernel does, a core is free for it, and there is credit for the message.
  static bool possible(rank_memory& m, rank_t owner) noexcept;

  /// Offers to copy `bytes` bytes from `from` to `to`. They must stay as they are until the offer has ended. Without a free block
  /// for the terms nothing is offered, and `take_back` says so. Cost: a block, and a message that leaves at once.
  copy_offer(rank_memory& m, global_address to, const std::byte* from, std::uint64_t bytes);
  ~copy_offer() { take_back(); }
  copy_offer(const copy_offer&) = delete;

  /// Whether the writer has to copy the bytes itself. False: they are there; waits for an owner that is at it.
  bool take_back() noexcept;
  /// Whether the owner has begun, or ended. For tests.
  bool begun() const noexcept { return terms_ != nullptr && terms_->now.load(std::memory_order_acquire) != open; }

 private:
  state await_owner() const noexcept;

  rank_memory& m_;
  rank_t owner_;
  terms* terms_ = nullptr;  ///< null: nothing is offered, or it has ended
  std::uint64_t block_ = 0;
};

/// A blocking write of `bytes` bytes to private memory of another process; complete when it returns. Of each part of up to
/// `most_at_once` bytes the owner is offered the first half, as long as it takes such offers. Errors: those of a write by this
/// rank alone, which name `operation`.
void write_with_owner(rank_memory& m, global_address to, const std::byte* from, std::uint64_t bytes, const char* operation);

}  // namespace armilla::detail
