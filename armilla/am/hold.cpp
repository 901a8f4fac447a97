// SPDX-License-Identifier: Apache-2.0
// A rank that asks for more than it takes in is not read from until it has taken some of it.
//
// What is queued for a rank grows by what is read from it: its questions make answers, its statements perhaps statements back.
// So the frames of a rank for which more than ARMILLA_BACKLOG is queued stay where they are. It runs out of credit, waits for
// some, as every send does, and takes in messages meanwhile; half of the backlog later it is read from again.
//
// Why that ends: a rank that is held back is waited for only until it takes in what is queued for it. It does at its next wait
// or poll, unless it holds back the rank that it should read from. So only two ranks that hold each other back could wait for
// ever; of these the lower one reads on. docs/adr/0013-held-back.md says more.
#include <cstring>

#include "armilla/am/arrival_order.hpp"
#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/am/holding.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"

namespace armilla::detail {

/// Takes in what a far rank tells of that: whether it holds this one back.
struct hold_record {
  static constexpr const char* method_name = "a rank that is held back";
  static constexpr std::uint32_t item_bytes = 8;

  static void run(endpoint& self, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t held = 0;
    if (size != sizeof held) self.throw_damaged(source, "a word about reading on, its length", size);
    std::memcpy(&held, at, sizeof held);
    channel& c = self.to(source);
    c.held_there = held != 0;
    if (c.far && c.holds) holding{self}.follow(c);
  }
};
namespace {
handler_slot& hold_slot = fixed_handler<hold_record, hold_handler>;
}

// Not what goes to attendants, nor what a rank sends to itself. An order of arrivals that is imposed says which ring is read; and
// nothing tells a rank that is interrupted that there is credit again.
void holding::hold_back(channel& c) {
  if (c.index >= std::size_t(self.self_.ranks) || c.to == self.self_.rank || c.lost) return;
  if (order_of(self.self_, &self) != nullptr || self.self_.settings->reception == reception_kind::signal) return;
  c.holds = true;
  ++self.count_.holds;
  tell(c);
}

void holding::read_on(channel& c) {
  c.holds = false;
  tell(c);
}

void holding::tell(channel& c) {
  if (!c.far) return self.inbound_[self.inbound_of_[std::size_t(c.to)]].reader.leave(c.holds);
  follow(c);
  if (self.attends_ != nullptr || c.lost) return;  // an attendant is not held back
  const std::uint64_t held = c.holds;
  self.far().send_aside(c.to, hold_slot.id, &held, sizeof held, nullptr, 0);
}

// Of two that hold each other back the lower one reads on.
bool endpoint::leaves(const inbound& in) const noexcept {
  return self_.rank > in.source || !channels_[std::size_t(in.source)].ring.is_left();
}

void holding::follow(const channel& c) {
  self.far().link.shut_out(c.index, c.holds && (self.self_.rank > c.to || !c.held_there));
}

}  // namespace armilla::detail
