// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/sequence/work_peer.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/container/place/named_parts.hpp"
#include "armilla/error.hpp"
#include "armilla/list.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t short_turn_ns = 20'000, long_turn_ns = 80'000;
constexpr std::uint32_t longest_turn = 1024;
constexpr std::uint32_t kept_of_small = 8;  // a message costs more than these

}  // namespace

void work_peer::begin(rank_t me, rank_t members) noexcept {
  me_ = me;
  members_ = members;
  parent_ = 0;
  inside_ = true;
  over_ = false;
  owed_ = me == 0 ? std::uint64_t(members) - 1 : 0;
  asked_ = 0;
  wanting_.clear();
}

void work_peer::finish() {
  over_ = true;
  wake();
}

bool work_peer::took_from(rank_t giver) {
  const auto distance = std::uint64_t(giver >= me_ ? giver - me_ : giver - me_ + members_);
  asked_ &= ~(std::uint64_t(1) << std::countr_zero(distance));
  wake();
  if (inside_) return true;
  inside_ = true;
  parent_ = giver;
  return false;
}

void work_peer::acknowledged() {
  --owed_;
  wake();
}

work_peer::step work_peer::leave(rank_t& parent) noexcept {
  if (!may_leave()) return step::none;
  inside_ = false;
  parent = parent_;
  return me_ == 0 ? step::announce : step::acknowledge;
}

rank_t work_peer::next_wanting() noexcept {
  const rank_t first = wanting_.front();
  wanting_.pop_front();
  return first;
}

void work_peer::ran_turn(std::uint32_t items, std::uint64_t ns) noexcept {
  if (ns > long_turn_ns)
    turn_ = std::max(1U, turn_ / 2);
  else if (ns < short_turn_ns && items == turn_)
    turn_ = std::min(longest_turn, turn_ * 2);
}

std::size_t work_peer::share_of(std::size_t have, bool running) const noexcept {
  const std::size_t keep = running && turn_ == 1 ? 0 : std::min(turn_, kept_of_small);
  return have > keep ? std::min(most_given, std::max<std::size_t>(1, have / 2)) : 0;
}

void throw_no_queue(object_id part, const char* what) {
  throw_usage_of(part, "handle",
                 std::string("this rank has no part of the ") + what +
                     ": it is no member, or it has ended there; call members of its team only, and let it live until a fence "
                     "after the last call");
}

rank_t checked_owner(const team& members, rank_t owner) {
  require_members(members, "queue");
  if (owner < 0 || owner >= members.size())
    throw_usage(algorithm_here("queue"), "the items cannot lie on member " + std::to_string(owner) + " of a team of " +
                                             std::to_string(members.size()) + "; members are numbered from 0");
  return owner;
}

void require_same_owner(const team& members, rank_t owner) {
  struct owners {
    rank_t least, most;
  };
  failure none;
  const owners all = agree(members, "queue", none, owners{owner, owner}, [](const owners& a, const owners& b) {
    return owners{std::min(a.least, b.least), std::max(a.most, b.most)};
  });
  if (all.least != all.most)
    throw_usage(algorithm_here("queue"), "a member makes it with owner " + std::to_string(all.least) +
                                             ", another one with owner " + std::to_string(all.most) +
                                             "; give the same on all members");
}

void throw_no_place(const void* inside, rank_t r) {
  throw_usage_of(inside, "list",
                 "a place on rank " + std::to_string(r) +
                     ", which is no member of the list's team; give a place that push_local, insert or "
                     "for_each_in_order of this list gave");
}

void throw_erased(const void* inside, const char* operation) {
  throw_usage(
      operation,
      about(inside) + "the element of a list in front of which another is to stand has been erased, or is of another list");
}

}  // namespace armilla::detail
