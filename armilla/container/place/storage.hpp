// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/global/memory_need.hpp"
#include "armilla/memory.hpp"
#include "armilla/team/core/loss_listener.hpp"

namespace armilla::detail {

/// What is alike on all members that make a container.
struct container_kind {
  std::uint64_t mark;  ///< differs if the container does
  /// What of `container` must be alike, for people: "8 elements", "elements of 4 bytes".
  std::vector<std::string> (*parts)(const void* container) = nullptr;
  const void* container = nullptr;
};

/// Collective: members make different containers at once, and all throw usage_error, which names the first part that differs.
[[noreturn, gnu::cold]] void throw_other_containers(const team& t, const container_kind& mine);

/// For a block that members fill later.
struct unfilled {
  void operator()(std::byte*) const noexcept {}
};

/// One block in the segment of each member of a team, whose places all members know. Made by all together: one gathering of 48
/// bytes a member, and where one takes 64 MiB or more of new memory a meeting. Destroyed by each for itself: the block returns
/// when the team, or one that has its members, meets next.
/// Where lost ranks are replaced, a lost member's block is one of `memory_kind::lost`: its memory is another rank's.
class block_storage final : loss_listener {
 public:
  block_storage() = default;
  block_storage(block_storage&& other) noexcept = default;
  block_storage& operator=(block_storage&& other) noexcept;
  ~block_storage();

  /// Takes room for `bytes` on this rank, and calls `fill`, which writes all of it, before other members hear of it. `what` must
  /// be the same on all members, usage_error else. Throws limit_error on all members where one has no room, also not behind the
  /// gathering, which gives back what containers have left; and where a host has not the memory. Large blocks are filled when
  /// that is known.
  template <class Fill>
  static block_storage make(const team& t, std::uint64_t bytes, std::uint64_t alignment, const container_kind& what, Fill fill) {
    global_address block;
    memory_need need;
    failure why;
    const auto fill_block = [&] {
      if (!block.null()) try {
          std::byte* const at = global_ptr<std::byte>(block).local();
          if constexpr (!std::is_same_v<Fill, unfilled>) before_filling(at, bytes);
          fill(at);
        } catch (const passing&) { throw; } catch (...) {
          why.note();
        }
    };
    const auto show = [&](bool again) {
      if (block.null()) {
        block = allocate_or_null(bytes, alignment);
        need = need_of_block(block, bytes);
        if (!need.large()) fill_block();
      }
      return shown_to_all(t, {block, bytes, what.mark, need}, what, why, again);
    };
    block_storage made = show(true);
    if (made.empty()) made = show(false);
    if (made.some_large_) {
      if (need.large()) fill_block();
      agree(t, "container", why);
    }
    return made;
  }

  /// Collective: this rank's block becomes `mine` if that is not null, and every member learns of the others'. Returns what each
  /// shows of itself in `count`. Throws limit_error on all members, and changes nothing, where `has_room` is false on one, or a
  /// host has not the memory.
  std::vector<std::size_t> exchange(global_address mine, std::size_t count, bool has_room, memory_need need = {});
  /// Whether a member has yet to fill its block: the members then meet once more.
  bool some_large() const noexcept { return some_large_; }
  static global_address allocate_or_null(std::uint64_t bytes, std::uint64_t alignment);

  /// Where the block of member `m` begins.
  global_address at(rank_t m) const noexcept { return blocks_[std::size_t(m)]; }
  bool empty() const noexcept { return blocks_.empty(); }

 private:
  /// What each member shows of a new container.
  struct offer {
    global_address block;
    std::uint64_t bytes, what;
    memory_need need;
    std::uint64_t vote = 0;
  };
  /// `again`: none, on all members, where one has no room.
  static block_storage shown_to_all(const team& t, offer mine, const container_kind& what, failure& why, bool again);
  static bool is_one_kind(const std::vector<offer>& all);
  static void require_room(const team& t, const std::vector<offer>& all);
  static std::vector<memory_need> needs_of(const std::vector<offer>& all);
  void give_up() noexcept;
  void hear_of(rank_t lost) noexcept override;

  team members_;
  std::vector<global_address> blocks_;
  bool some_large_ = false;
};

}  // namespace armilla::detail
