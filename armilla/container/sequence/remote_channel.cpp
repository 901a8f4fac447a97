// SPDX-License-Identifier: Apache-2.0
#include "armilla/remote_channel.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t listed_at_most = 4, room_of_open = 128;

std::string numbers(const std::vector<rank_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < 4; ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return ranks.size() > 4 ? text + ", ..." : text;
}

void require_plan(const team& t, const channel_plan& plan, std::size_t element_bytes) {
  const std::string of_team = "; the team has members 0 to " + std::to_string(t.size() - 1);
  if (plan.receiver < 0 || plan.receiver >= t.size())
    throw_usage(algorithm_here("remote_channel"), "the receiver " + std::to_string(plan.receiver) + " is not a member" + of_team);
  if (plan.capacity - 1 >= (std::size_t{1} << 31) || plan.capacity > (std::size_t{1} << 47) / element_bytes)
    throw_usage(algorithm_here("remote_channel"),
                "a capacity of " + std::to_string(plan.capacity) + "; give 1 or more, less than 2^31");
  for (std::size_t i = 0; i < plan.senders.size(); ++i) {
    if (plan.senders[i] < 0 || plan.senders[i] >= t.size())
      throw_usage(algorithm_here("remote_channel"),
                  "the sender " + std::to_string(plan.senders[i]) + " is not a member" + of_team);
    if (i != 0 && plan.senders[i] == plan.senders[i - 1])
      throw_usage(algorithm_here("remote_channel"),
                  "the sender " + std::to_string(plan.senders[i]) + " is named twice; name each once");
  }
}

}  // namespace

void say_never_popped(const void* inside, std::size_t values) noexcept try {
  if (current == nullptr) return;
  const std::string name = described(inside);
  say(fmt::format("armilla: rank {}: {}: {} value{} never popped; pop until it returns nullopt, or call cancel()", current->rank,
                  name.empty() ? "remote_channel" : name, values, values == 1 ? " was" : "s were"));
} catch (...) {}  // no memory: it is a hint only

planned_channel plan_channel(const team& members, rank_t receiver, std::size_t capacity, std::vector<rank_t> senders,
                             std::size_t element_bytes) {
  require_members(members, "remote_channel");
  planned_channel mine{{receiver, capacity, std::move(senders)}, {}, {}};
  channel_plan& plan = mine.plan;
  if (plan.senders.empty())
    for (rank_t m = 0; m < members.size(); ++m)
      if (m != receiver) plan.senders.push_back(m);
  std::ranges::sort(plan.senders);
  try {
    require_plan(members, plan, element_bytes);
  } catch (const passing&) { throw; } catch (...) {
    mine.wrong = std::current_exception();
    mine.why.note();
  }
  return mine;
}

void agree_on_channel(const team& members, planned_channel& mine) {
  struct values {
    std::uint64_t receiver, capacity, senders;
  };
  struct limits {
    values least, most;
  };
  std::uint64_t senders = mine.plan.senders.size();
  for (const rank_t m : mine.plan.senders) senders = (senders ^ std::uint64_t(m)) * 0x9e3779b97f4a7c15u;
  const values here{std::uint64_t(mine.plan.receiver), mine.plan.capacity, senders};
  limits all{here, here};
  try {
    all = agree(members, "remote_channel", mine.why, all, [](const limits& a, const limits& b) {
      const auto each = [](const values& x, const values& y, auto of) {
        return values{of(x.receiver, y.receiver), of(x.capacity, y.capacity), of(x.senders, y.senders)};
      };
      return limits{each(a.least, b.least, [](auto x, auto y) { return std::min(x, y); }),
                    each(a.most, b.most, [](auto x, auto y) { return std::max(x, y); })};
    });
  } catch (const remote_error&) {
    if (mine.wrong != nullptr) std::rethrow_exception(mine.wrong);
    throw;
  }
  const auto differ = [](const char* what, std::uint64_t one, std::uint64_t other) {
    if (one != other)
      throw_usage(algorithm_here("remote_channel"), std::string(what) + " " + std::to_string(one) + " on one member and " +
                                                        std::to_string(other) + " on another; give the same on all members");
  };
  differ("the receiver is", all.least.receiver, all.most.receiver);
  differ("the capacity is", all.least.capacity, all.most.capacity);
  if (all.least.senders != all.most.senders)
    throw_usage(algorithm_here("remote_channel"),
                "members name different senders (this one: " + numbers(mine.plan.senders) + "); give the same on all members");
}

channel_ends::channel_ends(const team& members, const channel_plan& plan)
    : members_(members),
      receiver_(-1),
      receiving_member_(plan.receiver),
      capacity_(plan.capacity),
      threshold_(std::max<std::size_t>(1, plan.capacity / 2)),
      me_(std::uint32_t(members.rank())) {
  if (plan.receiver < 0 || plan.receiver >= members.size()) return;  // all members agree on that next
  receiver_ = members.world_rank(plan.receiver);
  if (std::ranges::binary_search(plan.senders, members.rank())) {
    sends_ = sends::on;
    credits_ = capacity_;
  }
  if (members.rank() != plan.receiver) return;
  senders_.resize(std::size_t(members.size()));
  for (const rank_t m : plan.senders)
    if (m >= 0 && m < members.size()) senders_[std::size_t(m)].open = true;
  open_ = plan.senders.size();
}

bool channel_ends::may_push(const char* operation) const {
  switch (sends_) {
    case sends::never: {
      const std::string who = "rank " + std::to_string(members_.world_rank(rank_t(me_))) + " is not a sender of this channel";
      throw_usage(operation,
                  about(this) + who +
                      (receiver_ == current->rank ? ", it is the receiver; name it among the senders, or use a channel "
                                                    "(armilla/channel.hpp) between its fibers"
                                                  : "; name it among the senders, on all members"));
    }
    case sends::closed:
      throw_usage(operation, about(this) + "this rank has closed its end of the channel; push before you close it");
    case sends::lost: std::rethrow_exception(error_of(receiver_, operation));
    case sends::refused: return false;
    case sends::on: break;
  }
  return true;
}

void channel_ends::require_receiver(const char* operation) const {
  if (receiver_ == current->rank) [[likely]]
    return;
  throw_usage(operation, about(this) + "rank " + std::to_string(current->rank) + " is not the receiver of this channel; rank " +
                             std::to_string(receiver_) + " is");
}

const char* channel_ends::name_of_wait(const char* operation) {
  for (const wait_name& each : names_)
    if (each.operation == operation) return each.text.c_str();
  const std::string channel = described(this);
  std::string text = channel.empty() ? operation : operation + (" of " + channel);
  const std::size_t fixed = text.size();
  return names_.emplace_back(wait_name{operation, std::move(text), fixed, false}).text.c_str();
}

const char* channel_ends::name_of_pop(const char* operation) {
  const char* const known = name_of_wait(operation);
  for (wait_name& each : names_)
    if (each.operation == operation && !each.of_pop) {
      each.text.reserve(each.fixed + room_of_open);
      each.of_pop = true;
      list_open(each);
      return each.text.c_str();
    }
  return known;
}

// Writes into room that is there: a report may read the text at any time between two of these.
void channel_ends::list_open(wait_name& name) const noexcept {
  char list[room_of_open];
  std::size_t n = 0, listed = 0;
  for (std::size_t m = 0; m < senders_.size() && listed < listed_at_most; ++m)
    if (senders_[m].open)
      n += std::size_t(
          std::snprintf(list + n, sizeof list - n, "%s%d", listed++ == 0 ? "" : ", ", int(members_.world_rank(rank_t(m)))));
  name.text.resize(name.fixed);
  if (listed == 0) return;
  name.text.append(open_ == 1 ? ", which rank " : ", which ranks ").append(list, n);
  name.text.append(open_ > listed ? ", ... have not closed," : open_ == 1 ? " has not closed," : " have not closed,");
}

std::exception_ptr channel_ends::error_of(rank_t lost, const char* operation) const {
  return current->messages->lost.error(lost, operation);
}

std::exception_ptr channel_ends::next_loss(const char* operation) {
  const rank_t lost = lost_.front();
  lost_.erase(lost_.begin());
  return error_of(lost, operation);
}

}  // namespace armilla::detail
