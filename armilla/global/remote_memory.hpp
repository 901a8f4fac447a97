// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it. *Far* is here what is not mapped: private memory of this host's ranks,
// too. Memory of another host is what `host_map::far` says.
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "armilla/global/atomic_op.hpp"
#include "armilla/global/one_way_stores.hpp"
#include "armilla/global/rank_memory.hpp"

namespace armilla::detail {

/// The pieces of one blocking operation, and the fiber that waits for them.
struct blocking_wait : remote_wait {
  waiting_fiber waits;
};

/// Moves pieces between this rank and memory that it can neither load from nor store to: private memory of another process
/// by cross-memory copy, a kernel call for up to `batch` pieces; and by two-way calls to the owner for memory of another
/// host that no network maps, and where the kernel refuses that or the job's options forbid it. A kernel's copy is complete at
/// once, a two-way call when its group is.
class remote_transfer {
 public:
  static constexpr int batch = 64;

  remote_transfer(rank_memory& m, global_address base, bool writes, remote_group group, const char* operation);
  ~remote_transfer();
  remote_transfer(const remote_transfer&) = delete;
  remote_transfer& operator=(const remote_transfer&) = delete;

  /// Before the only `add`, of `bytes` bytes: true if its last message takes that signal along. `s` outlives the transfer.
  bool take_along(const signal_behind& s, std::uint64_t bytes) noexcept;
  /// Begins to move `bytes` between `local` and `base + distance`.
  void add(std::byte* local, std::int64_t distance, std::uint64_t bytes);
  /// All pieces are begun; with the group `blocking` they are complete as well, or their failure is thrown.
  void finish();

 private:
  bool goes_whole(std::uint64_t bytes) const noexcept;
  void cross_copy();
  void ask(std::byte* local, std::uint64_t offset, std::uint64_t bytes);
  void ask_piece(std::byte* local, std::uint64_t offset, std::uint32_t bytes);
  void ask_whole(std::byte* local, std::uint64_t offset, std::uint64_t bytes);
  std::uint32_t send_whole(const std::byte* local, std::unique_ptr<std::byte[]> copy, std::uint64_t bytes);
  remote_piece piece_of(std::byte* local, std::uint64_t offset, std::uint64_t bytes) noexcept;

  rank_memory& m_;
  global_address base_;
  bool writes_;
  remote_group group_;
  remote_wait* waiter_;  ///< that the pieces complete; null: their group alone
  const bool one_way_;   ///< small pieces of stores
  const signal_behind* behind_ = nullptr;
  bool cross_;
  int pieces_ = 0;
  const char* operation_;
  blocking_wait wait_;  ///< of the group `blocking`
  iovec local_[batch];
  iovec remote_[batch];
};

/// An atomic operation at its owner: `into` gets the old value (8 bytes); null: there is no wait.
void remote_atomic(rank_memory& m, global_address at, atomic_op op, std::uint32_t bytes, std::uint64_t operand,
                   std::uint64_t expected, std::uint64_t* into, const char* operation);

/// Gives a block back to its owner's heap; how that fared: `freed` before, or `outside`: no block begins there.
remote_status remote_deallocate(rank_memory& m, global_address at, const char* operation);

/// Adds to a counter in memory that is not mapped, behind everything that this rank has sent there.
void remote_signal(rank_memory& m, global_address counter, std::uint64_t amount);

/// The pieces of `from` become those of `to`. Null: they count for their group alone, which also takes over a failure that has
/// not been thrown.
void pass_on(rank_memory& m, remote_wait& from, remote_wait* to) noexcept;

/// Waits until the group has no piece under way, then throws the first failure it had.
void finish_group(rank_memory& m, remote_group group, const char* operation);

}  // namespace armilla::detail
