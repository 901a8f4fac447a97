// SPDX-License-Identifier: Apache-2.0
// Frames that a network carries: filled in private memory as any other, and copied into a buffer of the network when they leave.
// The long items that they name go their own way, far_bulk.cpp.
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t nap_ns = 500'000;                // beside a network without a descriptor
constexpr std::uint64_t longest_sleep_ns = 100'000'000;  // at a descriptor

}  // namespace

far_traffic::far_traffic(endpoint& owner, network& net, far_link::role who)
    : self(owner),
      link(net, owner.self_.rank, owner.self_.ranks, owner.self_.settings->network_window, who),
      losses_told(owner.host_.job().losses_told != 0) {}

// ---- sending ----

void far_traffic::push(channel& c, const std::byte* frame, std::size_t bytes, std::size_t blocks) {
  if (c.lost) return;
  if (!sending.empty()) [[unlikely]]
    start_bulk(c);
  std::byte* const room = c.spilled.empty() ? link.reserve(c.index, bytes) : nullptr;
  if (room == nullptr) return self.spill(c, frame, bytes, blocks);
  std::memcpy(room, frame, bytes);
  link.publish(room, c.index, bytes);
}

bool far_traffic::drain(channel& c) {
  const std::vector<std::byte>& frame = c.spilled.front().bytes;
  std::byte* const room = link.reserve(c.index, frame.size());
  if (room == nullptr) return false;
  std::memcpy(room, frame.data(), frame.size());
  link.publish(room, c.index, frame.size());
  return true;
}

std::size_t far_traffic::longest_aside() const noexcept { return link.most() - sizeof(record); }

void far_traffic::send_aside(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data,
                             std::size_t bytes) {
  const record what{h, std::uint32_t(head_bytes + bytes)};
  const std::size_t all = sizeof what + what.length;
  const bool queue = !aside.empty();
  const auto how = h == hold_handler ? far_link::kind::word : far_link::kind::aside;
  ++self.count_.control_sent;
  self.count_.control_bytes_sent += all;
  std::byte* const room = queue ? nullptr : link.reserve_aside(to, all);
  std::byte* place = room != nullptr ? room : aside.emplace_back(to, std::vector<std::byte>(all), how).frame.data();
  std::memcpy(place, &what, sizeof what);
  std::memcpy(place += sizeof what, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  if (room != nullptr) link.publish(room, to, all, how);
}

bool far_traffic::takes_ride(const channel& c, std::size_t bytes) const noexcept {
  const std::size_t more = sizeof(record) + bytes;
  return c.open() && c.far && c.index < std::size_t(self.self_.ranks) && !c.full && aside.empty() &&
         std::size_t(c.limit - c.cursor) >= more && link.admits(c.index, std::size_t(c.cursor - c.frame) + more);
}

std::uint64_t far_traffic::flush_all_but_rides(std::size_t bytes) {
  std::uint64_t lines = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < self.to_flush_.size(); ++i) {
    channel& c = self.channels_[self.to_flush_[i]];
    if (takes_ride(c, bytes)) {
      lines += lines_for(std::size_t(c.cursor - c.frame) + sizeof(record) + bytes);
      self.to_flush_[kept++] = c.index;
    } else {
      c.listed = false;
      self.push(c);
    }
  }
  self.to_flush_.resize(kept);
  return lines;
}

void far_traffic::ride(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data,
                       std::size_t bytes) {
  channel& c = self.channels_[std::size_t(to)];
  if (!takes_ride(c, head_bytes + bytes)) return send_aside(to, h, head, head_bytes, data, bytes);
  self.end_record(c);
  std::byte* const place = self.append(c, h, head_bytes + bytes, traffic::answers);
  std::memcpy(place, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  self.push(c);
}

// What found no buffer; in order.
void far_traffic::drain_aside() {
  while (!aside.empty()) {
    const far_traffic::waiting_aside& first = aside.front();
    std::byte* const room = link.reserve_aside(first.to, first.frame.size());
    if (room == nullptr) return;
    std::memcpy(room, first.frame.data(), first.frame.size());
    link.publish(room, first.to, first.frame.size(), first.how);
    aside.pop_front();
  }
}

bool far_traffic::only_network_to_look_at() const noexcept {
  return self.inbound_.size() == 1 && !self.inbound_[0].reader.ready() && self.spilled_channels_ == 0 && self.may_stay() &&
         self.self_.fibers->running().on_wait == nullptr;
}

std::uint64_t far_traffic::lines_sent(rank_t r) const noexcept {
  return link.sent(std::uint32_t(r)) + (self.attendants_ != 0 ? link.sent(std::uint32_t(self.attendants_ + std::size_t(r))) : 0);
}

// ---- receiving ----

template <taker By>
bool endpoint::poll_far() {
  far_traffic& far = *far_;
  const bool in_loop = By == taker::loop && self_.fibers->in_loop();
  bool any = false;
  if (!far.aside.empty()) [[unlikely]]
    far.drain_aside();
  if (far.any_bulk()) [[unlikely]] {
    any = far.move_bulk<By>();
    if (left_ || (in_loop && !self_.fibers->in_loop())) return true;
  }
  if (far.link.any_put_back() && !limits_.spent()) [[unlikely]]
    far.link.take_up();
  // One frame a look: a fiber that waits asks then whether that was it. To find that no other has come takes the network longer.
  for (;;) {
    arrival a{};
    if (!far.link.next(a.far)) {
      if (!any && (++far.idle_looks & 255) == 0) [[unlikely]]
        ask_network();
      return any;
    }
    a.source = a.far.source;
    a.bytes = a.far.bytes;
    a.first = a.far.data;
    a.at = a.far.next == nullptr ? a.first : a.far.next;
    a.end = a.first + a.bytes;
    run_frame<By>(a);
    if (a.kept) [[unlikely]] {
      if (left_ || (in_loop && !self_.fibers->in_loop())) return true;
      continue;  // it was put back, and bars nothing that others have sent
    }
    channel& back = channels_[std::size_t(a.source)];
    if (back.urgent) push(back);
    return true;
  }
}
template bool endpoint::poll_far<taker::loop>();
template bool endpoint::poll_far<taker::in_place>();

void endpoint::give_back_far(arrival& a) {
  if (a.far.bytes != 0) {
    if (!a.far.aside) count_.bytes_received += a.bytes;
    far_->link.release(a.far);
  } else {
    delete[] a.far.copy;  // of take_bulk: its sender goes on
    resume();
    far_->link.go_on(std::uint32_t(a.source));
  }
  if (attends_ != nullptr) [[unlikely]]
    far_->show_attended(a.source);
}

bool endpoint::in_far_frame(const std::byte* place) const noexcept {
  return arriving_ != nullptr && place >= arriving_->first && place < arriving_->end;
}

void endpoint::sleep_beside_network(const event_count::backoff& backoff, std::uint64_t deadline_ns) noexcept {
  if (far_->any_bulk()) {  // moves only while we look
    event_count_.cancel_wait();
    sched_yield();
    return;
  }
  network& net = far_->link.net();
  shared_network* const shared = host_.shared;
  const int descriptor = far_->wants_buffers() ? -1 : net.descriptor();
  if ((shared != nullptr && shared->keeps_for_rank()) || (descriptor >= 0 && !net.arm())) return event_count_.cancel_wait();
  if (shared != nullptr) shared->rank_sleeps();
  // A network may have something to send of which no descriptor tells, an answer of its own perhaps, that found no room.
  const std::uint64_t now = now_ns();
  const std::uint64_t longest = descriptor < 0 ? nap_ns : std::clamp((now - backoff.began_ns) / 2, nap_ns, longest_sleep_ns);
  const std::uint64_t wake_up = now + longest;
  event_count_.sleep(backoff, deadline_ns != 0 && deadline_ns < wake_up ? deadline_ns : wake_up, false, descriptor);
  if (shared != nullptr) shared->rank_woke();
  if (descriptor >= 0) far_->idle_looks |= 255;  // that many naps would have passed: the next look asks for losses
}

void endpoint::open_network(role who) {
  if (host_.beyond == nullptr) return;
  if (!self_.settings->record.empty() || !self_.settings->replay.empty())
    throw_usage("start",
                "the order of arrivals is recorded and imposed where ranks share memory; not with ARMILLA_RECORD or "
                "ARMILLA_REPLAY over a network");
  using side = far_link::role;
  const side mine = who == role::attendant ? side::attendant : host_.shared != nullptr ? side::attended_rank : side::rank;
  network& net = mine == side::rank        ? *host_.beyond
                 : mine == side::attendant ? host_.shared->for_attendant()
                                           : host_.shared->for_rank();
  far_ = std::make_unique<far_traffic>(*this, net, mine);
  // A block over a network is a transfer of its own, which asks and answers first: dear for a few words.
  constexpr std::size_t least_by_network = 512;
  eager_ = std::clamp(eager_, least_by_network, far_->link.most() - 2 * sizeof(record));
}

// All frames have been taken in, so all blocks have been received: the network only has to notice.
void endpoint::close_network() {
  if (far_ == nullptr) return;
  far_->closing = true;
  if (attends_ != nullptr) host_.shared->let_attendant_look(true);  // its rank looks no more
  while (!far_->sending.empty() || !far_->transfers.empty() || !far_->aside.empty()) poll_far<taker::in_place>();
  far_.reset();
}

}  // namespace armilla::detail
