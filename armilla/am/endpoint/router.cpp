// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/router.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/holding.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"

// Model: tests/models/protocols/routing.pml
namespace armilla::detail {

/// In front of each routed message. `words`: of 8 bytes, of the message; `behind_straight`: behind this stands how many lines its
/// source had sent straight before.
struct router::head {
  std::uint16_t to, source, handler;
  std::uint16_t words : 15, behind_straight : 1;
};

namespace {

// Of a pair, in bytes: a pair with more than that under way fills frames of its own.
constexpr std::uint64_t most_under_way = 16 * 1024;
constexpr handler_id most_handlers = 1 << 16;
static_assert(most_ranks <= 1 << 16);

/// Routed messages: for this rank, and to pass on.
struct relay_message {
  static constexpr const char* method_name = "routed messages";
  static constexpr bool may_wait = true;

  static void run(delivery& in, rank_t from, const std::byte* at, std::size_t size) {
    router* const routes = outbox_of(in.out).routing();
    if (routes == nullptr) throw_damaged(from, "a routed message where none is, its length", size);
    bundle_rest rest{at, at + size};
    in.begin_bodies(rest);
    do { routes->take(in, from, rest); } while (in.next_body(rest));
  }
};

/// What follows in the frame waits for so many routed messages of its source.
struct order_message {
  static constexpr const char* method_name = "the order of routed messages";
  static constexpr std::uint32_t message_bytes = 8;
  static constexpr bool may_wait = true;  // it may end a look
  static constexpr bool runs_bodies = false;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t routed = 0;
    if (size != sizeof routed || outbox_of(in.out).routing() == nullptr)
      throw_damaged(source, "an order of messages, its length", size);
    std::memcpy(&routed, at, sizeof routed);
    if (!outbox_of(in.out).routing()->has_come_to(source, routed)) in.self.messages->in.put_off(source, at, size);
  }
};

/// Takes in how much has begun at its source.
struct begun_message {
  static constexpr const char* method_name = "routed messages that have begun";
  static constexpr std::uint32_t message_bytes = 8;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t bytes = 0;
    if (size != sizeof bytes || outbox_of(in.out).routing() == nullptr)
      throw_damaged(source, "an acknowledgement, its length", size);
    std::memcpy(&bytes, at, sizeof bytes);
    outbox_of(in.out).routing()->note_begun_there(source, bytes);
  }
};

// Those of this layer are about frames.
bool is_of_messages(handler_id h) noexcept { return h >= handler_id(handler_range::am) && h < first_free_handler; }

handler_slot& relay_slot = fixed_handler<relay_message, relay_handler>;
handler_slot& order_slot = fixed_handler<order_message, order_handler>;
handler_slot& begun_slot = fixed_handler<begun_message, begun_handler>;

}  // namespace

std::unique_ptr<router> router::open(outbox& out) {
  const host_map& host = out.host();
  const auto least = std::uint32_t(out.self.settings->route_hosts);
  if (least == 0 || host.job().goes_on != 0 || host.job().spare_places != 0) return nullptr;
  if (out.self.settings->progress == progress_mode::signal) return nullptr;
  const std::uint32_t* const numbers = host.number.get();
  if (*std::max_element(numbers, numbers + out.self.places) + 1 < std::max(least, 4U)) return nullptr;
  return std::make_unique<router>(out, host);
}

router::router(outbox& out, const host_map& host)
    : out_(out),
      mesh_(out.self.rank, host.number.get(), out.self.places),
      pairs_(std::size_t(out.self.places)),
      window_(std::min(most_under_way, out.self.settings->network_window / 4)) {}

// ---- sending ----

// What is long is worth a frame of its own sooner than a second way.
static bool may_be_routed(handler_id h, std::size_t size, traffic kind) noexcept {
  return is_one_way_call(kind) && size <= longest_routed && h < most_handlers;
}

std::byte* router::place_for(peer_channel& c, handler_id h, std::size_t size, traffic kind) {
  if (c.way != nullptr) return route(c, h, size, kind);
  const bool between = c.far && c.bundle_handler == relay_handler && may_be_routed(h, size, kind);  // the bundle goes on
  return between ? append(c, c, h, size, kind, false) : nullptr;
}

std::byte* router::route(peer_channel& c, handler_id h, std::size_t size, traffic kind) {
  const bool needs_order = names_block(h) || !is_reply(kind);
  if (!needs_order) return nullptr;
  pair& p = pairs_[std::size_t(c.to)];
  // What is open for it takes this along. How many lines go before is known when that has left.
  const bool leaves = p.straight && (c.open() || !c.backlog.empty());
  if (leaves || !may_be_routed(h, size, kind) || p.sent_bytes - p.begun_there + size > window_) {
    const bool leaves_soon = kind == traffic::uncounted || names_block(h);  // and waits there for what is in front of it
    if (leaves_soon && p.way_lines == out_.far()->link.sent(c.way->index)) out_.push(*c.way);
    mark_straight(c);
    return nullptr;
  }
  if (c.way->lost) out_.self.messages->lost.raise(c.way->to, "send");
  return append(c, *c.way, h, size, kind, std::exchange(p.straight, false));
}

std::byte* router::append(const peer_channel& c, peer_channel& next, handler_id h, std::size_t size, traffic kind,
                          bool behind_straight) {
  const std::size_t heads = sizeof(head) + (behind_straight ? sizeof(std::uint64_t) : 0);
  std::byte* place = message_writer::in_frame(out_, next, relay_slot.id, heads + size, traffic::uncounted_replies).at;
  const head what{std::uint16_t(c.to), std::uint16_t(out_.self.rank), std::uint16_t(h), std::uint16_t(size / 8), behind_straight};
  std::memcpy(place, &what, sizeof what);
  if (behind_straight) {
    const std::uint64_t lines = out_.far()->link.sent(c.index);
    std::memcpy(place + sizeof what, &lines, sizeof lines);
  }
  pair& p = pairs_[std::size_t(c.to)];
  ++p.sent;
  p.sent_bytes += size;
  p.way_lines = out_.far()->link.sent(next.index);
  if (&c != &next) ++out_.count().routed_sent;
  if (kind == traffic::one_way_calls) ++out_.count().one_way_calls_sent;
  return place + heads;
}

bool router::is_to_pass_on(rank_t me, const std::byte* message, const std::byte* end) noexcept {
  head what;
  if (std::size_t(end - message) < sizeof what) return false;
  std::memcpy(&what, message, sizeof what);
  return rank_t(what.to) != me;
}

// In front of the first straight message behind routed ones.
void router::mark_straight(peer_channel& c) {
  pair& p = pairs_[std::size_t(c.to)];
  p.straight = true;
  if (p.told == p.sent) return;
  p.told = p.sent;
  std::memcpy(message_writer::in_frame(out_, c, order_slot.id, sizeof p.sent, traffic::uncounted_replies).at, &p.sent,
              sizeof p.sent);
}

void router::settle(peer_channel& way) {
  if (way.open() && way.cursor >= way.limit) out_.push(way);
  out_.self.messages->waits.await_credit(way);
}

// ---- receiving ----

void router::take(delivery& in, rank_t from, bundle_rest& rest) {
  const std::byte* const at = rest.at;
  const auto left = std::size_t(rest.end - at);
  head what;
  if (left < sizeof what) throw_damaged(from, "a routed message's length", left);
  std::memcpy(&what, at, sizeof what);
  const std::size_t size = sizeof what + (what.behind_straight ? sizeof(std::uint64_t) : 0) + std::size_t(what.words) * 8;
  if (left < size) throw_damaged(from, "a routed message's length", size);
  if (rank_t(what.to) >= out_.self.places) throw_damaged(from, "the rank that a routed message is for", what.to);
  if (rank_t(what.source) >= out_.self.places) throw_damaged(from, "the rank that a routed message comes from", what.source);
  rest.at = at + size;
  in.count_message(relay_slot.id, size);
  if (rank_t(what.to) == out_.self.rank)
    deliver(what, at + sizeof what);
  else
    pass_on(from, what, at, size);
}

void router::pass_on(rank_t from, const head& what, const std::byte* at, std::size_t size) {
  peer_channel& next = way_to(rank_t(what.to));
  if (next.to == from) throw_damaged(from, "the way of a routed message, which is for rank", what.to);
  if (next.passed_on == peer_channel::relayed::nothing) [[unlikely]]
    next.passed_on = peer_channel::relayed::some;
  note_feeder(from, next);
  std::memcpy(message_writer::in_frame(out_, next, relay_slot.id, size, traffic::uncounted_replies).at, at, size);
  ++out_.count().routed_passed_on;
  company_.begin();
  out_.done(next);
}

bool router::company::look_behind(bool found) noexcept {
  constexpr std::uint32_t most_looks = 256, most_idle_looks = 12;
  idle_looks_ = found ? 0 : idle_looks_ + 1;
  if (on_ && ++looks_ < most_looks && idle_looks_ < most_idle_looks) return true;
  *this = {};
  return false;
}

void router::note_feeder(rank_t from, const peer_channel& next) {
  using feeds = peer_channel::feeds;
  peer_channel& c = out_.prepared_to(from);
  if (c.feeding == feeds::nothing) feeders_.push_back(c.index);
  if (c.feeding != feeds::other_hosts) c.feeding = next.far ? feeds::other_hosts : feeds::this_host;
}

// What its source sent straight before it has begun.
bool router::straight_ones_have_begun(rank_t source, std::uint64_t lines) const noexcept {
  if (out_.self.messages->lost.first() != no_rank) return true;  // what it waits for may never come
  const remote_link& link = out_.far()->link;
  return link.taken(remote_link::end_t(source)) >= lines && !link.is_held(remote_link::end_t(source));
}

void router::deliver(const head& what, const std::byte* at) {
  const rank_t source = what.source;
  if (!out_.host().far[std::size_t(source)]) throw_damaged(source, "a routed message from this host, its handler", what.handler);
  std::uint64_t lines = 0;
  if (what.behind_straight) {
    std::memcpy(&lines, at, sizeof lines);
    at += sizeof lines;
  }
  const std::size_t size = std::size_t(what.words) * 8;
  endpoint& all = *out_.self.messages;
  if (what.handler >= all.in.handlers() || is_of_messages(what.handler))
    throw_damaged(source, "a handler's number", what.handler);
  pair& p = pairs_[std::size_t(source)];
  if (p.late != 0 || (what.behind_straight && !straight_ones_have_begun(source, lines))) [[unlikely]] {
    late_of(source).messages.push_back({source, lines, what.handler, {at, at + size}});
    ++p.late;
    return all.sums.defer();
  }
  note_begun(source, size);
  all.in.run_routed(source, what.handler, at, size);
}

void router::note_begun(rank_t source, std::size_t bytes) {
  pair& p = pairs_[std::size_t(source)];
  ++p.begun;
  p.begun_bytes += bytes;
  if (p.begun_bytes - p.told_begun_bytes >= window_ / 2) tell_begun(source);
}

void router::tell_begun(rank_t source) {
  pair& p = pairs_[std::size_t(source)];
  if (p.begun_bytes == p.told_begun_bytes || out_.prepared_to(source).holds) return;
  p.told_begun_bytes = p.begun_bytes;
  out_.far()->send_control(source, begun_slot.id, &p.begun_bytes, sizeof p.begun_bytes, nullptr, 0);
}

void router::note_begun_there(rank_t r, std::uint64_t bytes) noexcept {
  pair& p = pairs_[std::size_t(r)];
  p.begun_there = std::clamp(bytes, p.begun_there, p.sent_bytes);
}

bool router::may_go_on(std::uint32_t source) const noexcept {
  return source >= std::uint32_t(out_.self.places) || pairs_[source].begun >= pairs_[source].awaited ||
         out_.self.messages->lost.first() != no_rank;
}

bool router::has_come_to(rank_t source, std::uint64_t routed) {
  pair& p = pairs_[std::size_t(source)];
  // No message is shorter than 8 bytes. One may have begun and been put back since its source was told.
  if (routed > p.begun + window_ / 8 + 1) throw_damaged(source, "a number of routed messages", routed);
  p.awaited = std::max(p.awaited, routed);
  return p.begun >= routed || out_.self.messages->lost.first() != no_rank;
}

router::late_queue& router::late_of(rank_t source) {
  const auto its = std::ranges::find(late_, source, &late_queue::source);
  return its != late_.end() ? *its : late_.emplace_back(late_queue{source, {}});
}

bool router::next_late(late_message& m) {
  for (auto its = late_.begin(); its != late_.end(); ++its) {
    late_message& first = its->messages.front();
    if (!straight_ones_have_begun(first.source, first.lines) || out_.self.messages->in.limits.bar(first.source)) continue;
    m = std::move(first);
    its->messages.pop_front();
    if (its->messages.empty())
      late_.erase(its);
    else
      std::rotate(its, its + 1, late_.end());  // the others have their turn
    --pairs_[std::size_t(m.source)].late;
    note_begun(m.source, m.bytes.size());
    return true;
  }
  return false;
}

void router::put_back_late(late_message m) {
  pair& p = pairs_[std::size_t(m.source)];
  ++p.late;
  --p.begun;
  p.begun_bytes -= m.bytes.size();
  p.told_begun_bytes = std::min(p.told_begun_bytes, p.begun_bytes);
  late_of(m.source).messages.push_front(std::move(m));
}

// ---- backpressure ----

void router::hold_feeders(peer_channel& c) {
  if (std::exchange(c.passed_on, peer_channel::relayed::too_much) != peer_channel::relayed::too_much)
    ++(c.far ? full_far_ : full_near_);
  for (const std::uint32_t i : feeders_)
    if (peer_channel& feeder = out_.to(rank_t(i)); bars(feeder) && !feeder.holds) holding{*out_.self.messages}.hold_back(feeder);
}

void router::read_feeders(peer_channel& c) {
  c.passed_on = peer_channel::relayed::some;
  --(c.far ? full_far_ : full_near_);
  for (const std::uint32_t i : feeders_)
    if (peer_channel& feeder = out_.to(rank_t(i)); feeder.holds && feeder.backlog_weight <= out_.hold_above_ / 2)
      holding{*out_.self.messages}.read_on(feeder);
}

}  // namespace armilla::detail
