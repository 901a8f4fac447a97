// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/storage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/host/memory_left.hpp"
#include "armilla/global/retire.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

void throw_other_containers(const team& t, const container_kind& mine) {
  std::vector<std::string> parts = {algorithm_here("a container")};
  if (mine.parts != nullptr)
    for (std::string& each : mine.parts(mine.container)) parts.push_back(std::move(each));
  const std::vector<std::vector<std::string>> all = t.all_gather(parts);
  std::string which = "size, element or distribution differ";
  const auto other = std::ranges::find_if(all, [&](const auto& theirs) { return theirs != all[0]; });
  if (other != all.end()) {
    const auto [first, second] = std::ranges::mismatch(all[0], *other);
    const auto shown = [](const auto& parts_of_one, auto at) { return at != parts_of_one.end() ? *at : parts_of_one[0]; };
    which = fmt::format("rank {} {}, rank {} {}", t.world_rank(0), shown(all[0], first),
                        t.world_rank(rank_t(other - all.begin())), shown(*other, second));
  }
  throw_usage(algorithm_here("container"),
              "members make different containers here: " + which + "; all members make the same ones in the same order");
}

namespace {

/// What errors call the container that grows.
std::string name_of(const block_storage* storage) {
  const std::string known = described(storage);
  return known.empty() ? algorithm_here("container") : known;
}

}  // namespace

bool block_storage::is_one_kind(const std::vector<offer>& all) {
  return std::ranges::all_of(all, [&](const offer& each) { return each.what == all[0].what; });
}

void block_storage::require_room(const team& t, const std::vector<offer>& all) {
  for (std::size_t m = 0; m < all.size(); ++m)
    if (all[m].block.null())
      throw_limit(algorithm_here("container"), fmt::format("{} bytes do not fit into the segment of rank {}; {}", all[m].bytes,
                                                           t.world_rank(rank_t(m)), remedy_for_segment(all[m].bytes)));
}

std::vector<memory_need> block_storage::needs_of(const std::vector<offer>& all) {
  std::vector<memory_need> needs;
  for (const offer& each : all) needs.push_back(each.need);
  return needs;
}

global_address block_storage::allocate_or_null(std::uint64_t bytes, std::uint64_t alignment) try {
  return allocate_bytes(bytes, container_alignment(alignment), "container");
} catch (const limit_error&) { return {}; }

block_storage block_storage::shown_to_all(const team& t, offer mine, const container_kind& what, failure& why, bool again) {
  block_storage made;
  made.members_ = t;
  mine.vote = vote_of(t, why);
  std::vector<offer> all;
  {
    const meeting here(t);
    all = t.all_gather(mine);
  }
  const bool has_room = std::ranges::none_of(all, [](const offer& each) { return each.block.null(); });
  if (!has_room && again && is_one_kind(all)) return {};
  std::uint64_t loser = no_loser;
  for (const offer& each : all) {
    made.blocks_.push_back(each.block);
    made.some_large_ |= each.need.large();
    loser = each.vote < loser ? each.vote : loser;
  }
  if (!is_one_kind(all)) throw_other_containers(t, what);
  require_room(t, all);
  if (made.some_large_) require_memory(t, algorithm_here("container"), needs_of(all));
  if (loser != no_loser) throw_failure_of(t, algorithm_here("container"), loser, why);
  made.listen();
  return made;
}

std::vector<std::size_t> block_storage::exchange(global_address mine, std::size_t count, bool has_room, memory_need need) {
  std::vector<offer> all;
  global_address& own = blocks_[std::size_t(members_.rank())];
  const global_address before = own;
  const bool filled = !mine.null() && !need.large();  // what bodies write while the members meet goes to the new block
  {
    const meeting here(members_);
    if (filled) own = mine;
    all = members_.all_gather(offer{mine, has_room ? 0 : count, count, need});
  }
  own = before;
  for (std::size_t m = 0; m < all.size(); ++m)
    if (all[m].bytes != 0) {
      if (!mine.null()) deallocate_bytes(mine, "container");
      throw_limit(name_of(this).c_str(),
                  fmt::format("{} elements do not fit into the segment of rank {}; raise ARMILLA_SEGMENT (half of it "
                              "is for objects of one rank)",
                              all[m].bytes, members_.world_rank(rank_t(m))));
    }
  some_large_ = std::ranges::any_of(all, [](const offer& each) { return each.need.large(); });
  if (some_large_) try {
      require_memory(members_, name_of(this).c_str(), needs_of(all));
    } catch (...) {
      if (!mine.null()) deallocate_bytes(mine, "container");
      throw;
    }
  std::vector<std::size_t> counts;
  for (std::size_t m = 0; m < all.size(); ++m) {
    counts.push_back(all[m].what);
    if (all[m].block.null()) continue;
    if (rank_t(m) == members_.rank() && !blocks_[m].null()) retain(members_, blocks_[m]);
    blocks_[m] = all[m].block;
  }
  return counts;
}

block_storage& block_storage::operator=(block_storage&& other) noexcept {
  give_up();
  loss_listener::operator=(std::move(other));
  members_ = std::move(other.members_);
  blocks_ = std::move(other.blocks_);
  other.blocks_.clear();
  some_large_ = other.some_large_;
  return *this;
}

void block_storage::hear_of(rank_t lost) noexcept {
  if (const rank_t m = members_.rank_of(lost); m >= 0 && !blocks_.empty()) blocks_[std::size_t(m)] = at(m).as_lost();
}

block_storage::~block_storage() { give_up(); }

void block_storage::give_up() noexcept {
  if (blocks_.empty() || current == nullptr || current->memory == nullptr) return;
  if (const global_address mine = at(members_.rank()); !mine.null()) retain(members_, mine);
  blocks_.clear();
}

}  // namespace armilla::detail
