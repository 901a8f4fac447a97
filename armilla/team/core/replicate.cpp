// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/replicate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

struct replicate_head {
  std::uint64_t offset;  // in the sender's collective area
};
static_assert(sizeof(replicate_head) == replicate_head_bytes);

std::atomic_ref<std::uint64_t> word(std::byte* at) { return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at)); }

// A line begins with its step, or with a count, which the ranks here wait for. An old line of a team that has ended may come
// behind a new one, by another way.
void write_line(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::uint64_t step;
  std::memcpy(&step, from, sizeof step);
  if (step_of(step) < step_of(word(to).load(std::memory_order_relaxed))) return;
  std::memcpy(to + sizeof step, from + sizeof step, bytes - sizeof step);
  word(to).store(step, std::memory_order_release);  // pairs with the acquire in await_step, and in member_transfer::pull
}

struct replicate_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    replicate_head head;
    if (size < sizeof head + sizeof(std::uint64_t)) throw_damaged(source, "the length of what a rank shows", size);
    std::memcpy(&head, at, sizeof head);
    const std::size_t bytes = size - sizeof head;
    const std::size_t line = collective_layout::line_at(head.offset);
    if (head.offset % 8 != 0 || head.offset >= host_layout::collective_bytes ||
        (line != 0 && (head.offset % cache_line != 0 || bytes > line)) || bytes > collective_layout::room_at(head.offset))
      throw_damaged(source, "the place of what a rank shows", head.offset);
    std::byte* const to = in.self.teams->shown(source, head.offset);
    if (line != 0)
      write_line(to, at + sizeof head, bytes);
    else
      std::memcpy(to, at + sizeof head, bytes);
    if (line == 0) return;
    for (const rank_t r : in.self.teams->near) in.out.notify(r);
  }
};
handler_slot& replicate_slot = fixed_handler<replicate_message, well_known(handler_range::team, 0)>;

}  // namespace

// In this rank's collective area.
static std::uint64_t offset_of(const context& c, const void* at) {
  return c.teams->layout.offset_of(std::size_t(static_cast<const std::byte*>(at) - c.host->collectives));
}

static void replicate_as(remote_link::kind how, context& c, rank_t to, const void* at, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(at);
  std::uint64_t offset = offset_of(c, from);
  const std::size_t most = outbox_of(c).far()->longest_control() - sizeof(replicate_head);
  for (std::size_t piece; bytes != 0; bytes -= piece, from += piece, offset += piece) {
    piece = std::min(bytes, most);
    const replicate_head head{offset};
    outbox_of(c).far()->send_control(to, replicate_slot.id, &head, sizeof head, from, piece, how);
  }
}

void replicate(context& c, rank_t to, const void* at, std::size_t bytes) {
  replicate_as(remote_link::kind::control, c, to, at, bytes);
}

// What a rank has entered: nobody waits for that. So it is no event, also where it is told again and again.
static void replicate_entered(context& c, rank_t to, const intention_line& line) {
  replicate_as(remote_link::kind::watch, c, to, &line, sizeof line);
}

namespace {

struct ask_entered_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t slot;
    if (size != sizeof slot) throw_damaged(source, "the length of a request for what this rank has entered", size);
    std::memcpy(&slot, at, sizeof slot);
    if (slot >= collective_layout::all_slots) throw_damaged(source, "the slot of what it asks for", slot);
    if (in.self.teams == nullptr) return;  // the session ends
    replicate_entered(in.self, source, in.self.teams->slot(in.self.rank, std::uint32_t(slot)).entered);
  }
};
handler_slot& ask_entered_slot = fixed_handler<ask_entered_message, well_known(handler_range::team, 5)>;

}  // namespace

void ask_entered(const team_record& t, rank_t r) {
  const std::uint64_t slot = t.slot;
  outbox_of(*t.self).far()->send_control(r, ask_entered_slot.id, &slot, sizeof slot, nullptr, 0, remote_link::kind::watch);
}

void replicate_to_hosts(team_record& t, const void* at, std::size_t bytes) {
  for (const rank_t r : t.host_leaders) replicate(*t.self, r, at, bytes);
}

void tell_entered(const team_record& t) {
  for (const rank_t r : t.host_leaders) replicate_entered(*t.self, r, *t.entered);
}

void replicate_with_one_way_calls(team_record& t, const flag_line& line, std::size_t bytes) {
  const context& c = *t.self;
  const replicate_head head{offset_of(c, &line)};
  for (const rank_t r : t.host_leaders)
    outbox_of(c).far()->piggyback(r, replicate_slot.id, &head, sizeof head, reinterpret_cast<const std::byte*>(&line),
                                  sizeof line.step + bytes);
}

std::vector<rank_t> near_ranks_of(const context& c, const std::vector<rank_t>& ranks) {
  std::vector<rank_t> near;
  std::ranges::copy_if(ranks, std::back_inserter(near), [&c](rank_t r) { return r != c.rank && !c.host->far[std::size_t(r)]; });
  return near;
}

// The first member on each other host.
std::vector<rank_t> host_leaders_of(const host_map& host, rank_t me, const std::vector<rank_t>& members) {
  std::vector<rank_t> host_leaders;
  host_leaders.reserve(members.size());
  std::vector<bool> seen;  // by number of the host
  for (const rank_t r : members) {
    const std::size_t number = host.number[std::size_t(r)];
    if (r == me || !host.far[std::size_t(r)]) continue;
    if (number >= seen.size()) seen.resize(number + 1);
    if (!seen[number]) host_leaders.push_back(r);
    seen[number] = true;
  }
  return host_leaders;
}

}  // namespace armilla::detail
