// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "armilla/container/agreement.hpp"
#include "armilla/global/memory.hpp"

namespace armilla::detail {

/// One block in the segment of each member of a team, whose places all members know. Made by all together: one gathering of 32
/// bytes a member. Destroyed by each for itself: the block returns when the team, or one that has its members, meets next.
class block_storage {
 public:
  block_storage() = default;
  block_storage(block_storage&& other) noexcept = default;
  block_storage& operator=(block_storage&& other) noexcept;
  ~block_storage();

  /// Takes room for `bytes` on this rank, and calls `fill` on it before other members hear of it. `what` must be the same on all
  /// members, usage_error else. Throws limit_error on all members where one has no room, also not behind the gathering, which
  /// gives back what containers have left.
  template <class Fill>
  static block_storage make(const team& t, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t what, Fill fill) {
    global_address block;
    failure why;
    const auto show = [&](bool again) {
      if (block.null()) take(block, bytes, alignment, fill, why);
      return shown_to_all(t, block, bytes, what, why, again);
    };
    block_storage made = show(true);
    return made.empty() ? show(false) : std::move(made);
  }

  /// Collective: this rank's block becomes `mine` if that is not null, and every member learns of the others'. Returns what each
  /// shows of itself in `count`. Throws limit_error on all members, and changes nothing, where `has_room` is false on one.
  std::vector<std::size_t> exchange(global_address mine, std::size_t count, bool has_room);
  static global_address allocate_or_null(std::uint64_t bytes, std::uint64_t alignment);

  /// Where the block of member `m` begins.
  global_address at(rank_t m) const noexcept { return blocks_[std::size_t(m)]; }
  bool empty() const noexcept { return blocks_.empty(); }

 private:
  template <class Fill>
  static void take(global_address& block, std::uint64_t bytes, std::uint64_t alignment, Fill& fill, failure& why) {
    block = allocate_or_null(bytes, alignment);
    if (!block.null()) try {
        fill(global_ptr<std::byte>(block).local());
      } catch (...) { why.note(); }
  }
  /// `again`: none, on all members, where one has no room.
  static block_storage shown_to_all(const team& t, global_address mine, std::uint64_t bytes, std::uint64_t what, failure& why,
                                    bool again);
  void give_up() noexcept;

  team members_;
  std::vector<global_address> blocks_;
};

}  // namespace armilla::detail
