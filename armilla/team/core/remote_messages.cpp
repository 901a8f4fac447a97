// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/remote_messages.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/error.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t longest_whole = 16 * 1024;                // from there on a copy costs more than to ask for the place
constexpr std::uint64_t longest_of_all = std::uint64_t(1) << 46;  // a longer one is no message

std::uint64_t in_words(std::uint64_t bytes) { return bytes / word_bytes * word_bytes; }

remote_pairs& pairs_of(context& self, rank_t source, std::uint32_t slot) {
  if (slot >= collective_layout::all_slots) throw_damaged(source, "the slot of a collective's message", slot);
  return self.teams->area(slot).far;
}

/// What is told of a slot, beside its messages.
struct slot_news {
  std::uint64_t slot, value;
};

slot_news read_news(rank_t source, const std::byte* at, std::size_t size) {
  slot_news n;
  if (size != sizeof n) throw_damaged(source, "the length of what it tells of a collective", size);
  std::memcpy(&n, at, sizeof n);
  if (n.slot >= collective_layout::all_slots) throw_damaged(source, "the slot of what it tells of a collective", n.slot);
  return n;
}

struct acknowledge_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const auto [slot, taken] = read_news(source, at, size);
    if (in.self.teams == nullptr) return;  // the session ends
    remote_pairs& pairs = pairs_of(in.self, source, std::uint32_t(slot));
    remote_pair& p = pairs.with[source];
    if (taken > p.sent) throw_damaged(source, "the count of an acknowledgement", taken);
    p.acknowledged = std::max(p.acknowledged, taken);
    ++pairs.events;
  }
};
handler_slot& acknowledge_slot = fixed_handler<acknowledge_message, well_known(handler_range::team, 2)>;

void count_taken(context& self, std::uint32_t slot, remote_pair& p, rank_t from) {
  if (++p.taken - p.told < remote_pair::window / 2) return;
  const slot_news a{slot, p.taken};
  outbox_of(self).far()->send_control(from, acknowledge_slot.id, &a, sizeof a, nullptr, 0);
  p.told = p.taken;
}

// `memory` is freed then.
bulk_end tell_end(std::uint32_t slot, aligned_bytes memory) {
  return {[](context& c, std::uint64_t s, std::uint64_t at) {
            aligned_bytes(reinterpret_cast<std::byte*>(at)).reset();
            if (c.teams != nullptr) ++c.teams->area(std::uint32_t(s)).far.events;
          },
          slot, reinterpret_cast<std::uint64_t>(memory.release())};
}

std::uint32_t number_of_transfer(const envelope& e) {
  std::uint32_t number;
  std::memcpy(&number, e.tail, sizeof number);
  return number;
}

// What `e` announces moves to memory that nobody reads.
void let_move(context& self, std::uint32_t slot, rank_t from, const envelope& e) {
  if (self.out->is_lost(from)) return;
  aligned_bytes memory = make_aligned_bytes_for(from, e.bytes);
  std::byte* const place = memory.get();
  outbox_of(self).far()->receive_memory(from, number_of_transfer(e), place, e.bytes, tell_end(slot, std::move(memory)));
}

void pop_far(context& self, std::uint32_t slot, remote_pair& p, rank_t from) {
  p.came.pop();
  count_taken(self, slot, p, from);
}

void drop_first(context& self, std::uint32_t slot, remote_pair& p, rank_t from) {
  const envelope e = p.came.front();
  if (e.how == envelope::announced) let_move(self, slot, from, e);
  pop_far(self, slot, p, from);
}

void drop_up_to(context& self, std::uint32_t slot, remote_pair& p, rank_t from, std::uint32_t team) {
  while (!p.came.empty() && p.came.front().is_up_to(team)) drop_first(self, slot, p, from);
}

struct member_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    envelope e;
    if (size < sizeof e) throw_damaged(source, "the length of a collective's message", size);
    std::memcpy(&e, at, sizeof e);
    const std::size_t words = size - sizeof e;
    if (e.how > envelope::announced || e.bytes > longest_of_all || words != (e.how == envelope::whole ? in_words(e.bytes) : 0))
      throw_damaged(source, "the length of a collective's message", e.bytes);
    if (in.self.teams == nullptr) return;  // the session ends
    remote_pairs& pairs = pairs_of(in.self, source, e.slot);
    remote_pair& p = pairs.with[source];
    if (p.came.size() == remote_pair::window) throw_damaged(source, "messages of a collective that wait", p.came.size());
    p.came.push(e, at + sizeof e, words);
    ++pairs.events;
    if (pairs.abandoned) drop_up_to(in.self, e.slot, p, source, pairs.abandoned_team);
  }
};
handler_slot& member_slot = fixed_handler<member_message, well_known(handler_range::team, 1)>;

struct revoke_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const auto [slot, team] = read_news(source, at, size);
    if (in.self.teams == nullptr) return;  // the session ends
    remote_pairs& pairs = pairs_of(in.self, source, std::uint32_t(slot));
    unexpected_queue& came = pairs.with[source].came;
    for (std::uint32_t i = 0; i < came.size(); ++i) {
      envelope& e = came.at(i);
      if (e.how != envelope::announced || !e.is_up_to(std::uint32_t(team))) continue;
      let_move(in.self, std::uint32_t(slot), source, e);
      e.how = envelope::revoked;
    }
    ++pairs.events;
  }
};
handler_slot& revoke_slot = fixed_handler<revoke_message, well_known(handler_range::team, 4)>;

}  // namespace

void forget_pairs(context& self, rank_t r) {
  for (const auto& area : self.teams->areas)
    if (area != nullptr)
      if (const auto known = area->far.with.find(r); known != area->far.with.end()) known->second = {};
}

aligned_bytes make_aligned_bytes_for(rank_t from, std::uint64_t bytes) {
  try {
    return make_aligned_bytes(bytes);
  } catch (const std::bad_alloc&) {
    throw_limit("a collective",
                fmt::format("there is no memory for a message of {} bytes from rank {}; send less at a time, or give "
                            "the rank more memory",
                            bytes, from));
  }
}

void unexpected_queue::push(const envelope& head, const std::byte* words, std::size_t bytes) {
  constexpr std::size_t least_room = 2 * cache_line;
  if (ring_.empty()) ring_.resize(most);
  message& m = ring_[(first_ + size_) % most];
  const std::size_t needed = bytes + word_bytes;
  if (needed > m.bytes.room) {
    const std::size_t room = std::max(align_up(needed, cache_line), least_room);
    m.bytes = {make_aligned_bytes(room), room};
  }
  m.head = head;
  if (bytes != 0) std::memcpy(m.bytes.at.get(), words, bytes);
  if (head.how == envelope::whole) std::memcpy(m.bytes.at.get() + bytes, head.tail, word_bytes);
  ++size_;
}

void unexpected_queue::pop() noexcept {
  first_ = (first_ + 1) % most;
  --size_;
}

void unexpected_queue::take(message_bytes& to) noexcept {
  std::swap(to, ring_[first_].bytes);
  pop();
}

bool send_far(context& self, const team_record& t, remote_pair& p, rank_t to, std::uint32_t sign, const std::byte* data,
              std::uint64_t bytes, const void* owner) {
  remote_traffic& net = *outbox_of(self).far();
  envelope e{t.slot, sign, bytes, envelope::whole, std::uint32_t(t.first_step), {}};
  ++p.sent;
  if (bytes <= std::min(longest_whole, net.longest_control() - sizeof e)) {
    const std::uint64_t words = in_words(bytes);
    if (words != bytes) std::memcpy(e.tail, data + words, bytes - words);
    net.send_control(to, member_slot.id, &e, sizeof e, data, words);
    return false;
  }
  e.how = envelope::announced;
  const std::uint32_t number = net.send_memory(to, data, bytes, tell_end(t.slot, nullptr), owner);
  std::memcpy(e.tail, &number, sizeof number);
  net.send_control(to, member_slot.id, &e, sizeof e, nullptr, 0);
  return true;
}

const std::byte* take_far(context& self, std::uint32_t slot, remote_pairs& pairs, remote_pair& p, rank_t from) {
  p.came.take(pairs.taken);
  count_taken(self, slot, p, from);
  return pairs.taken.at.get();
}

void receive_far(context& self, std::uint32_t slot, remote_pair& p, rank_t from, std::byte* place, const void* owner) {
  const envelope e = p.came.front();
  outbox_of(self).far()->receive_memory(from, number_of_transfer(e), place, e.bytes, tell_end(slot, nullptr), owner);
  pop_far(self, slot, p, from);
}

void drop_earlier(context& self, const team_record& t, remote_pair& p, rank_t from) {
  drop_up_to(self, t.slot, p, from, std::uint32_t(t.first_step) - 1);
}

void abandon(const team_record& t) {
  team_state& state = *t.owner;
  remote_pairs& pairs = state.area(t.slot).far;
  pairs.abandoned = true;
  pairs.abandoned_team = std::uint32_t(t.first_step);
  for (auto& [from, p] : pairs.with) drop_up_to(state.self, t.slot, p, from, pairs.abandoned_team);
}

void revoke_announced(const team_record& t, rank_t to) {
  const slot_news all{t.slot, std::uint32_t(t.first_step)};
  outbox_of(*t.self).far()->send_control(to, revoke_slot.id, &all, sizeof all, nullptr, 0);
}

}  // namespace armilla::detail
