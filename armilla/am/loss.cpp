// SPDX-License-Identifier: Apache-2.0
// What an endpoint does when ranks of the job are lost. See docs/guide/death.md.
#include <algorithm>
#include <string>
#include <vector>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/am/holding.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/losses.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {
namespace {

// Takes out what `wanted` says, which it asks once; the rest stays in its order.
template <class T, class Wanted>
std::vector<T> take_out(std::vector<T>& from, Wanted&& wanted) {
  std::vector<T> out;
  std::erase_if(from, [&](const T& one) {
    if (!wanted(one)) return false;
    out.push_back(one);
    return true;
  });
  return out;
}

}  // namespace

// Ends the waits for who has been lost since the last time: fibers become ready, conditions come true. True: some may.
bool endpoint::hear_losses() {
  event_count_.hear_losses();
  for (const loss_record& e : host_.job().losses.entry) {  // in their order: the first is the cause of most others
    if (e.complete.load(std::memory_order_acquire) == 0) continue;
    for (rank_t r = std::max(e.first, 0); r <= e.last && r < self_.ranks; ++r)
      if (r != self_.rank && !is_lost(r)) lose(r);
  }
  return true;
}

void endpoint::lose(rank_t r) {
  if (first_lost_ == no_rank) first_lost_ = r;
  lose(channels_[std::size_t(r)]);
  if (attendants_ != 0) lose(channels_[attendants_ + std::size_t(r)]);
  for (const loss_listener tell : listeners_) tell(self_, r);
  if (far_ == nullptr || !host_.far[std::size_t(r)]) return;
  // What was under way with it ends. Memory that the network may still use waits until it does not, and no fiber waits for that.
  far_traffic& far = *far_;
  network& net = far.link.net();
  net.give_up(r);
  const auto over = [&](std::uintptr_t number) { return number == 0 || net.done(number); };
  for (const auto& o : take_out(far.sending, [r](const far_traffic::outgoing& t) { return t.to == r; }))
    if (over(o.transfer))
      blocks_.deallocate(o.offset);
    else
      far.orphans.push_back({o.transfer, host_.segment_start(self_.rank) + o.offset, {}});
  for (const auto& c : take_out(far.receiving, [r](const far_traffic::coming& t) { return t.source == r; })) {
    const bool ended = over(c.transfer);
    if (!ended) far.orphans.push_back({c.transfer, c.block, {}});
    far.drop_bulk(r, ended ? c.block : nullptr);
  }
  for (const auto& t : take_out(far.transfers, [r](const far_traffic::transfer& one) { return one.from == r || one.to == r; }))
    if (over(t.number))
      t.end.run(self_, t.end.first, t.end.second);
    else
      far.orphans.push_back({t.number, nullptr, t.end});
}

// Every later item takes the general way, and is refused there. What is queued here is dropped.
void endpoint::lose(channel& c) noexcept {
  c.cursor = c.limit = c.frame = nullptr;
  c.run_handler = c.hot_handler = no_handler;
  c.urgent = false;
  c.open_blocks = 0;
  c.lost = c.full = c.blocked = true;
  if (c.spilled.empty()) return;
  for (const auto& frame : c.spilled) spilled_bytes_ -= frame.bytes.size();
  c.spilled.clear();
  c.spilled_weight = 0;
  if (c.holds) holding{*this}.read_on(c);
  --spilled_channels_;
}

// Whom the network cannot reach any more. Where a supervisor watches the ranks, it mostly knows sooner, and why.
void endpoint::ask_network() {
  for (const auto& o :
       take_out(far_->orphans, [this](const far_traffic::orphan& one) { return far_->link.net().done(one.number); })) {
    if (o.block != nullptr && has_blocks_)
      blocks_.deallocate(std::uint64_t(o.block - host_.segment_start(self_.rank)));
    else
      delete[] o.block;
    if (o.end.run != nullptr) o.end.run(self_, o.end.first, o.end.second);
  }
  if (far_->closing || attends_ != nullptr) return;  // an attendant leaves that to its rank
  far_->look_for_losses(self_.rank);
  for (far_traffic::broken_connection& b : far_->broken) {
    if (b.told || now_ns() < b.tell_at_ns) continue;
    b.told = true;
    for (rank_t r = 0; r < self_.ranks; ++r)
      if (r == b.what.rank || (b.what.rank == self_.rank && host_.far[std::size_t(r)])) tell_unreachable(r, b.what.why);
  }
}

void endpoint::tell_unreachable(rank_t r, const char* why) const {
  const std::string cause = std::string("cannot be reached any more: ") + (why != nullptr ? why : "the network does not say why");
  const auto h = std::size_t(host_.number[std::size_t(r)]);
  tell_loss(host_.job(), r, r, cause, h < host_.names->size() ? (*host_.names)[h] : std::string());
}

bool is_of_lost(const context& self, const void* place) {
  const host_map& host = *self.host;
  const job_block& job = host.job();
  if (job.losses.count.load(std::memory_order_acquire) == 0) return false;
  const auto* const at = static_cast<const std::byte*>(place);
  for (rank_t r = 0; r < self.ranks; ++r)
    if (at >= host.segment_start(r) && at < host.segment_start(r) + host.layout.segment_bytes)
      return find_loss(job, r) != nullptr;
  return false;
}

std::exception_ptr endpoint::loss_error(rank_t lost, const char* operation) const {
  const loss_record* const known = find_loss(host_.job(), lost);
  return std::make_exception_ptr(known != nullptr ? rank_lost(lost, operation, known->cause, known->host)
                                                  : rank_lost(lost, operation, "cannot be reached any more"));
}

void endpoint::throw_lost(rank_t lost, const char* operation) const { std::rethrow_exception(loss_error(lost, operation)); }

}  // namespace armilla::detail
