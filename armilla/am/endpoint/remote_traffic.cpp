// SPDX-License-Identifier: Apache-2.0
// Frames that a network carries: filled in private memory as any other, and copied into a buffer of the network when they leave.
// The long messages that they name go their own way, remote_traffic_bulk.cpp.
#include "armilla/am/endpoint/remote_traffic.hpp"

#include <cstring>
#include <memory>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/message_state.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {

remote_traffic::remote_traffic(endpoint& owner, network& net, remote_link::role who)
    : all(owner),
      self(owner.out.self),
      link(net, self.rank, self.places, self.settings->network_window, who),
      losses_told(owner.out.host().job().losses_told != 0) {
  const host_map& host = owner.out.host();
  // What shares memory has rings, which count by themselves.
  for (rank_t r = 0; host.new_rank && r < self.places; ++r) {
    if (!host.far[std::size_t(r)] || host.job().life(r).now != presence::living) continue;
    if (!host.locals().holds(r)) {
      if (const hand_over_counts* const said = self.message_layer->left->handed_over_by(r); said != nullptr)
        link.follow(std::uint32_t(r), said->taken, said->sent);
      continue;
    }
    const ring_memory shown = host.ring(host_layout::to_rank, r, self.rank);
    link.follow(std::uint32_t(r), shown.taken().load(std::memory_order_acquire), shown.tail().load(std::memory_order_acquire));
  }
}

std::unique_ptr<remote_traffic> remote_traffic::open(endpoint& owner, role who) {
  const context& rank = owner.out.self;
  const host_map& host = owner.out.host();
  if (host.beyond == nullptr) return nullptr;
  if (arrival_order::is_wanted(*rank.settings))
    throw_usage("start",
                "the order of arrivals is recorded, imposed and explored where ranks share memory; not with ARMILLA_RECORD, "
                "ARMILLA_REPLAY or armilla-run --explore over a network");
  using side = remote_link::role;
  const side mine = who == role::progress_thread ? side::progress_thread
                    : host.shared != nullptr     ? side::rank_with_thread
                                                 : side::rank;
  network& net = mine == side::rank              ? *host.beyond
                 : mine == side::progress_thread ? host.shared->for_progress_thread()
                                                 : host.shared->for_rank();
  return std::make_unique<remote_traffic>(owner, net, mine);
}

std::byte* remote_traffic::segment() const noexcept { return all.out.host().segment_start(self.rank); }

bool remote_traffic::post(const peer_channel& c, const std::byte* frame, std::size_t bytes) {
  std::byte* const room = link.reserve(c.index, bytes);
  if (room == nullptr) return false;
  std::memcpy(room, frame, bytes);
  link.publish(room, c.index, bytes);
  return true;
}

std::size_t remote_traffic::longest_control() const noexcept { return link.most() - sizeof(bundle_header); }

void remote_traffic::send_control(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data,
                                  std::size_t bytes, remote_link::kind how) {
  if (all.out.is_lost(to)) [[unlikely]]
    return;
  const bundle_header what{h, std::uint32_t(head_bytes + bytes)};
  const std::size_t size = sizeof what + what.length;
  const bool behind = !control_queue.empty();
  ++all.out.count().control_sent;
  all.out.count().control_bytes_sent += size;
  std::byte* const room = behind ? nullptr : link.reserve_control(to, size);
  std::byte* place = room != nullptr ? room : control_queue.emplace_back(to, std::vector<std::byte>(size), how).frame.data();
  std::memcpy(place, &what, sizeof what);
  std::memcpy(place += sizeof what, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  if (room != nullptr) link.publish(room, to, size, how);
}

bool remote_traffic::takes_piggyback(const peer_channel& c, std::size_t bytes) const noexcept {
  const std::size_t more = sizeof(bundle_header) + bytes;
  return c.open() && c.far && c.index < std::size_t(self.places) && c.backlog.empty() && !c.lost && control_queue.empty() &&
         std::size_t(c.limit - c.cursor) >= more && link.admits(c.index, std::size_t(c.cursor - c.frame) + more);
}

void remote_traffic::flush_all_but_piggybacks(std::size_t bytes) {
  all.out.flush_but([&](const peer_channel& c) { return takes_piggyback(c, bytes); });
}

void remote_traffic::piggyback(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data,
                               std::size_t bytes) {
  peer_channel& c = all.out.to(to);
  if (!takes_piggyback(c, head_bytes + bytes)) return send_control(to, h, head, head_bytes, data, bytes);
  all.out.end_bundle(c);
  std::byte* const place = message_writer::in_frame(all.out, c, h, head_bytes + bytes, traffic::uncounted_replies).at;
  std::memcpy(place, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  all.out.push(c);
}

// Control messages that found no buffer; in order.
void remote_traffic::drain_control() {
  while (!control_queue.empty()) {
    const queued_control& first = control_queue.front();
    std::byte* const room = link.reserve_control(first.to, first.frame.size());
    if (room == nullptr) return;
    std::memcpy(room, first.frame.data(), first.frame.size());
    link.publish(room, first.to, first.frame.size(), first.how);
    control_queue.pop_front();
  }
}

// What was taken in is shown first, and read last: a sum of both that fits is no accident of the moment.
void remote_traffic::show_events(control_block& mine) const noexcept {
  mine.network_taken.store(link.events_taken(), std::memory_order_relaxed);
  mine.network_sent.store(link.events_sent(), std::memory_order_release);
}

std::uint64_t remote_traffic::lines_sent(rank_t r) const noexcept {
  return link.sent(std::uint32_t(r)) + (all.out.has_progress_threads() ? link.sent(std::uint32_t(r + self.places)) : 0);
}

}  // namespace armilla::detail
