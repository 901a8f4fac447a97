// SPDX-License-Identifier: Apache-2.0
// A rank that asks for more than it takes in is not read from until it has taken some of it.
//
// What is queued for a rank grows by what is read from it: its two-way calls make replies, its one-way calls perhaps one-way
// calls back. So the frames of a rank for which more than ARMILLA_BACKLOG is queued stay where they are. It runs out of credit,
// waits for some, as every send does, and takes in messages meanwhile; half of the backlog later it is read from again.
//
// Why that ends: a rank that is held back is waited for only until it takes in what is queued for it. It does at its next wait
// or poll, unless it holds back the rank that it should read from. So only two ranks that hold each other back could wait for
// ever; of these the lower one reads on. docs/adr/0013-held-back.md says more.
#include "armilla/am/endpoint/holding.hpp"

#include <cstring>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"

// Model: tests/models/protocols/credit.pml
namespace armilla::detail {

/// Takes in whether a far rank holds this one back.
struct hold_message {
  static constexpr const char* method_name = "a rank that is held back";
  static constexpr std::uint32_t message_bytes = 8;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t held = 0;
    if (size != sizeof held) throw_damaged(source, "a word about reading on, its length", size);
    std::memcpy(&held, at, sizeof held);
    peer_channel& c = outbox_of(in.out).prepared_to(source);
    c.held_there = held != 0;
    if (c.far && c.holds) holding{*in.self.messages}.follow(c);
  }
};
namespace {
handler_slot& hold_slot = fixed_handler<hold_message, hold_handler>;
}

// Not progress threads, and not the rank itself. Not in a replay, which decides what ring is read. Not in the mode `signal`: no
// event tells an interrupted rank of new credit.
void holding::hold_back(peer_channel& c) {
  const context& rank = all.out.self;
  if (c.index >= std::size_t(rank.places) || c.to == rank.rank || c.lost) return;
  if (order_of(rank) != nullptr || rank.settings->progress == progress_mode::signal) return;
  c.holds = true;
  ++all.out.count().holds;
  tell(c);
}

void holding::read_on(peer_channel& c) {
  if (!c.lost && all.out.routing() != nullptr && all.out.routing()->bars(c)) return;
  c.holds = false;
  tell(c);
  if (c.far && all.out.routing() != nullptr) all.out.routing()->tell_begun(c.to);
}

void holding::tell(peer_channel& c) {
  if (!c.far) return all.in.set_unread(c.to, c.holds);
  follow(c);
  if (all.in.shows_processed != nullptr || c.lost) return;  // a progress thread is not held back
  const std::uint64_t held = c.holds;
  all.out.far()->send_control(c.to, hold_slot.id, &held, sizeof held, nullptr, 0, remote_link::kind::word);
}

void holding::follow(const peer_channel& c) {
  all.out.far()->link.shut_out(c.index, c.holds && (all.out.self.rank > c.to || !c.held_there));
}

}  // namespace armilla::detail
