// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/progress.hpp"

namespace armilla {

using detail::endpoint;
using detail::here;
using detail::timed;

namespace {
endpoint::peer_kind kind_of(peer p) {
  switch (p) {
    case peer::self: return endpoint::peer_kind::self;
    case peer::network: return endpoint::peer_kind::network;
    case peer::host: break;
  }
  return endpoint::peer_kind::host;
}
}  // namespace

bool poll() {
  endpoint& self = *here("poll").messages;
  if (self.in_body() && !self.body_has_waited()) return false;
  const timed net(self.watch(), detail::component::net);
  self.flush();  // before the look: others wait for it
  const bool any = self.poll();
  self.flush();
  return any;
}

void wait() {
  endpoint& self = *here("wait").messages;
  const std::uint64_t before = self.count().runs_received;
  const auto any = [&] { return self.count().runs_received != before; };
  self.wait_until([&] { return any() || self.first_lost() != no_rank; }, "wait");
  if (!any()) self.throw_lost(self.first_lost(), "wait");
}

void flush() {
  endpoint& self = *here("flush").messages;
  self.flush();
  self.drain_all();
}

void set_aggregation(std::size_t bytes) {
  set_aggregation(peer::self, bytes);
  set_aggregation(peer::host, bytes);
  set_aggregation(peer::network, bytes);
}
void set_aggregation(peer kind, std::size_t bytes) { here("set_aggregation").messages->set_aggregate(kind_of(kind), bytes); }
std::size_t aggregation(peer kind) { return here("aggregation").messages->aggregate(kind_of(kind)); }

void set_poll_every(std::uint32_t n) { here("set_poll_every").messages->every_nth_statement_polls(n); }

void set_waiting(waiting_way way) { here("set_waiting").messages->set_stay(way == waiting_way::in_place); }

outside_event::outside_event() { here("outside_event").messages->sleeper().expect_outside(1); }
outside_event::~outside_event() {
  if (detail::current != nullptr) detail::current->messages->sleeper().expect_outside(-1);
}

batch::batch() { ++here("batch").calls->batches; }
batch::~batch() {
  if (detail::current != nullptr && --detail::current->calls->batches == 0) detail::current->messages->flush();
}

}  // namespace armilla
