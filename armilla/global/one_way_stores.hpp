// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/global/address.hpp"

namespace armilla::detail {

struct rank_memory;
struct team_record;

/// A counter that is added to behind the data of a store.
struct signal_behind {
  global_address counter;
  std::uint64_t n;
  /// Whether it can be in one message with the data.
  bool fits_in_message() const noexcept { return n <= ~std::uint32_t{0}; }
};

/// The ranks with unconfirmed one-way stores. One leaves the list when a fence ends, or when it confirms them.
class unconfirmed_stores {
 public:
  explicit unconfirmed_stores(std::size_t ranks) : stored_(ranks) {}

  bool any() const noexcept { return !listed_.empty(); }
  bool at(rank_t r) const noexcept { return stored_[std::size_t(r)] != 0; }
  const std::vector<rank_t>& listed() const noexcept { return listed_; }
  void add(rank_t r) {
    if (!at(r)) listed_.push_back(r);
    stored_[std::size_t(r)] = fence_;
  }
  /// True: it was listed.
  bool take_off(rank_t r) noexcept;

  void begin_fence() noexcept { begun_ = ++fence_; }
  /// What was stored at members of `t` before it began is there.
  void end_fence(const team_record& t) noexcept;

 private:
  std::vector<rank_t> listed_;
  zeroed_array<std::uint64_t> stored_;  ///< by rank: `fence_` at the last store; 0: it is not listed
  std::uint64_t fence_ = 1;
  std::uint64_t begun_ = 0;
};

/// A listed rank that is no member of `part`; no_rank: there is none.
rank_t outside_of(const team_record& part, const unconfirmed_stores& stores) noexcept;

/// Whether a small store at rank `to` that goes by a message is one-way. Not to progress threads: a fence does not wait for what
/// these send, and a refusal would come after it. So where each rank has been asked to have one, stores are replied to; else
/// they go to the rank itself, unless that would pass what is on its way to the thread.
bool stores_are_one_way(rank_memory& m, rank_t to);

/// Sends `bytes` bytes, at most `remote_piece_limit`, to `to`. Nothing comes back but a refusal. `behind`: a signal in the same
/// message, which leaves at once; null: none.
void store_one_way(rank_memory& m, global_address to, const std::byte* from, std::uint32_t bytes, const signal_behind* behind);

/// Asks each rank that is listed whether all stores were good: one two-way call a rank. The group `stores` waits for what they
/// say.
void confirm_stores(rank_memory& m, const char* operation);

/// The same of the ranks that are no members of `part`.
void confirm_stores_outside(rank_memory& m, const team_record& part);

/// Rank `lost` is lost: if it is listed, stores may be missing, and the next wait for stores says so.
void fail_stores(rank_memory& m, rank_t lost);

}  // namespace armilla::detail
