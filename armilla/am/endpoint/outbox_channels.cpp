// SPDX-License-Identifier: Apache-2.0
// How a channel comes to be at the first send, and what becomes of it when its rank is lost, and in a child.
#include <cstddef>
#include <new>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/holding.hpp"
#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/core/forked.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/fabric/host_map.hpp"

namespace armilla::detail {

// Of ranks on other hosts: it is awake, and never written.
static constinit control_block elsewhere{};

void outbox::set_up(peer_channel& zeros) {
  const auto index = std::uint32_t(std::size_t(reinterpret_cast<std::byte*>(&zeros) - channels_) / channel_stride);
  const bool to_thread = progress_channels_ != 0 && index >= progress_channels_;
  const auto to = rank_t(to_thread ? index - progress_channels_ : index);
  const bool here = host_.locals().holds(to);
  peer_channel& c = *::new (&zeros) peer_channel;
  prepared_.push_back(index);
  c.to = to;
  c.index = index;
  c.peer = !here ? &elsewhere : to_thread ? &host_.progress_thread(to) : &host_.control(to);
  c.same_program = host_.program[std::size_t(to)] == self.program;
  c.far = host_.far[std::size_t(to)];
  c.life = host_.job().life(to).number;
  c.lost = to != self.rank && !host_.job().was_taken(to);  // until a rank joins there
  if (router_ != nullptr && !to_thread && c.far) c.way = router_->way_of(to);
  c.ready = !c.lost && c.way == nullptr;
  c.aggregate = std::min(aggregate_[std::size_t(kind_of(c))], longest_frame(c.far));
  if (opens_all_ && !c.far) open_ring(c);
}

// Its reader looks at it from now on.
void outbox::open_ring(peer_channel& c) {
  const bool to_thread = progress_channels_ != 0 && c.index >= progress_channels_;
  const host_layout::lane lane = callable_ == 0 ? host_layout::from_progress_thread
                                 : to_thread    ? host_layout::to_progress_thread
                                                : host_layout::to_rank;
  c.ring = ring_writer(host_.ring(lane, self.rank, c.to));
  if (host_.new_rank) c.ring.follow();
  c.direct = c.ready && c.same_program;
  open_rings_.push_back(c.index);
  c.peer->rings.enter(lane == host_layout::from_progress_thread ? ring_directory::replies : ring_directory::bodies,
                      host_.local(self.rank));
}

// Every later message takes the general way, and is refused there. What is queued here is dropped.
void outbox::lose(peer_channel& c) noexcept {
  c.cursor = c.limit = c.frame = nullptr;
  c.bundle_handler = c.hot_handler = no_handler;
  c.urgent = false;
  c.open_blocks = 0;
  c.lost = true;
  c.ready = c.direct = false;
  if (!c.backlog.empty()) {
    for (const peer_channel::backlog_frame& frame : c.backlog) backlog_bytes_ -= frame.size;
    c.backlog.clear();
    c.backlog_weight = 0;
    count_backlogs(backlog_channels_ - 1);
  }
  if (c.passed_on == peer_channel::relayed::too_much) router_->read_feeders(c);
  if (c.holds) holding{*self.messages}.read_on(c);
}

void outbox::lose(rank_t r) noexcept {
  lose(prepared_to(r));
  if (progress_channels_ != 0) lose(prepared(progress_channel(r)));
}

void outbox::take_back(rank_t r, std::uint32_t life) noexcept {
  peer_channel& c = to(r);
  c.life = life;
  c.lost = c.holds = c.handed_over = false;
  c.same_program = host_.program[std::size_t(r)] == self.program;
  c.held_there = false;
  c.ready = true;
  c.direct = c.same_program && !c.far;
}

void outbox::enter_child() noexcept {
  const std::size_t channels = std::size_t(self.places) + progress_channels_;
  places_.move_to(static_cast<channel_place*>(nowhere(channels * sizeof(channel_place))));
  channels_ = places_.get()->bytes;
  prepared_.clear();
}

}  // namespace armilla::detail
