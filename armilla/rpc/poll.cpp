// SPDX-License-Identifier: Apache-2.0
#include "armilla/poll.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"

namespace armilla {

using detail::endpoint;
using detail::here;
using detail::timed;

namespace {
/// Values of an enumeration come from integers, too.
template <class Enum>
void require_one_of(const char* operation, Enum value, Enum last) {
  if (value < Enum{} || value > last)
    detail::throw_usage(operation, fmt::format("{} is not one of the kinds; give one from 0 to {}", int(value), int(last)));
}

template <class Look>
bool poll_by(endpoint& self, Look look) {
  if (self.out.in_body() && !self.in.body_has_waited()) return false;
  const timed net(self.out.watch(), detail::component::net);
  self.out.flush();  // before the look: others wait for it
  const bool any = look();
  self.out.flush();
  return any;
}

void require_time(const poll_budget& most, const char* operation) {
  if (most.time.count() < 0)
    detail::throw_usage(operation, fmt::format("a budget of {} ns is negative; give 0 or more", most.time.count()));
}

}  // namespace

bool poll() {
  endpoint& self = *here("poll").messages;
  return poll_by(self, [&] { return self.waits.poll(); });
}

bool poll(poll_budget most) {
  endpoint& self = *here("poll").messages;
  require_time(most, "poll");
  detail::poll_limit limit;
  limit.bodies = most.bodies;
  if (most.time != poll_budget::unlimited_time) {
    const auto now = detail::now_ns();
    const auto ns = std::uint64_t(most.time.count());
    limit.deadline_ns = ns < ~now ? now + ns : ~std::uint64_t{0};
    if (ns == 0) limit.bodies = 0;
  }
  return poll_by(self, [&] { return self.waits.poll(limit); });
}

void set_poll_budget(poll_budget most) {
  endpoint& self = *here("set_poll_budget").messages;
  require_time(most, "set_poll_budget");
  if (most.bodies == 0 || most.time.count() == 0)
    detail::throw_usage("set_poll_budget",
                        "a send without credit waits for others to be served; let a poll begin one body at least");
  const bool timed = most.time != poll_budget::unlimited_time;
  self.waits.limit_unasked_polls(
      {most.bodies == poll_budget::unlimited ? 0 : most.bodies, timed ? std::uint64_t(most.time.count()) : 0});
}

void wait_for_message() {
  endpoint& self = *here("wait_for_message").messages;
  const std::uint64_t before = self.out.count().bundles_received;
  const auto any = [&] { return self.out.count().bundles_received != before; };
  self.waits.wait_until([&] { return any() || self.lost.first() != no_rank; }, "wait_for_message");
  if (!any()) self.lost.raise(self.lost.first(), "wait_for_message");
}

void flush() {
  endpoint& self = *here("flush").messages;
  self.out.flush();
  self.out.drain_all();
}

void set_aggregation(std::size_t bytes) {
  set_aggregation(peer::self, bytes);
  set_aggregation(peer::host, bytes);
  set_aggregation(peer::network, bytes);
}
void set_aggregation(peer kind, std::size_t bytes) {
  require_one_of("set_aggregation", kind, peer::network);
  outbox_of(here("set_aggregation")).set_aggregate(kind, bytes);
}
std::size_t aggregation(peer kind) {
  require_one_of("aggregation", kind, peer::network);
  return outbox_of(here("aggregation")).aggregate(kind);
}

void set_poll_every(std::uint32_t n) { here("set_poll_every").messages->waits.every_nth_call_polls(n); }

void set_wait_mode(wait_mode mode) {
  require_one_of("set_wait_mode", mode, wait_mode::switching);
  here("set_wait_mode").messages->waits.set_wait_mode(mode);
}

outside_event::outside_event() { here("outside_event").messages->sleeper.expect_outside(1); }
outside_event::~outside_event() {
  if (detail::current != nullptr) detail::current->messages->sleeper.expect_outside(-1);
}

batch::batch() { ++here("batch").calls->batches; }
batch::~batch() {
  if (detail::current != nullptr && --detail::current->calls->batches == 0) detail::current->out->flush();
}

}  // namespace armilla
