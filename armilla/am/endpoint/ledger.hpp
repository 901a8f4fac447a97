// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

class outbox;
class inbox;

/// What a fence sums over all ranks: lines of frames that have left and lines that have been taken in, each weighed by
/// `pair_weight`, so that sums are the same only where those of each pair are. Paper: STAPL, section 6.5.
class ledger {
 public:
  ledger(const outbox& out, inbox& in) noexcept : out_(out), in_(in) {}

  /// Lines of frames that have left for any rank; what is queued makes the outbox not idle.
  std::uint64_t created() const noexcept;
  /// Those for rank `r`, and the messages that go there by way of others.
  std::uint64_t created_for(rank_t r) const noexcept;
  /// Lines of frames whose bodies have ended or are `deferred()`.
  std::uint64_t processed() const noexcept;
  /// From one rank, as `created_for`.
  std::uint64_t processed_from(rank_t r) const noexcept;
  /// Bodies put off, bodies that wait, fibers that bodies left behind, and continuations whose reply has not come.
  std::uint64_t deferred() const noexcept;

  void defer() noexcept { ++deferred_; }   ///< a body was put off: its rank is not done with its frame
  void resume() noexcept { --deferred_; }  ///< and now it has run

 private:
  const outbox& out_;
  inbox& in_;
  std::uint64_t deferred_ = 0;
};

/// Bytes of whole lines of the frames that have left for rank `r`, also for its progress thread. Blocks are not in it.
std::uint64_t bytes_sent_to(const outbox& out, rank_t r) noexcept;

}  // namespace armilla::detail
