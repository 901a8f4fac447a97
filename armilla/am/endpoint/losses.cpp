// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/losses.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/meant_for_lost.hpp"
#include "armilla/am/endpoint/message_state.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
// Model: tests/models/protocols/new_rank.pml
namespace armilla::detail {

losses::losses(outbox& out, event_count& sleeper) noexcept : out_(out), sleeper_(sleeper) {
  sleeper.watch_losses(out.host().job().epoch);
}

namespace {

// In their order: the first is the cause of most others.
std::vector<rank_t> lost_since(const job_block& job, const outbox& out) {
  std::vector<std::pair<std::uint32_t, rank_t>> all;
  for (rank_t r = 0; r < out.self.places; ++r)
    if (r != out.self.rank && !out.is_lost(r))
      if (const departure* const known = job.why_left(r)) all.emplace_back(known->complete.load(std::memory_order_relaxed), r);
  std::ranges::sort(all);
  std::vector<rank_t> ranks;
  for (const auto& one : all) ranks.push_back(one.second);
  return ranks;
}

}  // namespace

// Ends the waits for ranks that have been lost since the last time: fibers become ready, conditions come true.
bool losses::hear() {
  if (hearing_) return false;
  hearing_ = true;
  sleeper_.hear_losses();
  const job_block& job = out_.host().job();
  if (job.takes_new_ranks()) look_for_successors();
  for (const rank_t r : lost_since(job, out_)) lose(r);
  if (job.takes_new_ranks()) hand_over_places();
  for (const follower told : followers_) told(out_.self);
  hearing_ = false;
  return true;
}

void losses::accept(rank_t left) {
  news_.assign(left != no_rank, left);
  for (const follower keeps : when_accepted_) keeps(out_.self);
}

void losses::again() { tell_change(out_.host().job()); }

void losses::lose(rank_t r) {
  news_.push_back(r);
  out_.lose(r);
  for (const listener told : listeners_) told(out_.self, r);
  if (out_.host().far[std::size_t(r)] && out_.far() != nullptr) out_.far()->lose(r);
}

// ---- others in their places: see boot/wire_up/new_rank.hpp ----

// Also for one that is lost again by now: what it had sent is taken in as that of any lost rank.
void losses::look_for_successors() {
  for (rank_t r = 0; r < out_.self.places; ++r) {
    const std::uint32_t life = out_.host().job().life(r).number;
    if (peer_channel& c = out_.to(r); c.lost && c.life != life) take_back(c, life);
  }
}

void losses::hand_over_places() {
  for (rank_t r = 0; r < out_.self.places; ++r) {
    const rank_life there = out_.host().job().life(r);
    if (peer_channel& c = out_.to(r); c.lost && there.now == presence::coming && !c.handed_over) hand_over(c, there.word());
  }
}

namespace {

bool shares_memory(const outbox& out, rank_t r) { return out.host().locals().holds(r); }

// The ring to that place, which has it in the memory of this host. Where a network carries what goes there, its header alone is
// used.
ring_memory ring_to(const outbox& out, rank_t r) { return out.host().ring(host_layout::to_rank, out.self.rank, r); }

// None begins from here on. The positions stay for one that has seen before that they were handed over to it.
void refuse(const ring_memory& ring) { ring.handed_over().store(ring_memory::refused, std::memory_order_release); }

}  // namespace

void losses::hand_over(peer_channel& c, std::uint32_t to) {
  const bool shares = shares_memory(out_, c.to);
  if (ends_) return shares ? refuse(ring_to(out_, c.to)) : void();  // armilla-run refuses for ranks of other hosts
  inbox& in = out_.self.messages->in;
  if (!in.is_done_with(c.to)) return hear_again();
  c.handed_over = c.holds = true;  // nothing of its successor is read yet
  if (c.far) out_.far()->expect(c.to);
  const std::uint64_t sent = c.far ? out_.far()->link.sent(c.index) : c.ring.position(), taken = in.taken_from(c.to);
  if (!shares) return out_.self.message_layer->left->hand_over(out_.self.rank, c.to, {to, sent, taken});
  const ring_memory ring = ring_to(out_, c.to);
  ring.tail().store(sent, std::memory_order_relaxed);
  ring.taken().store(taken, std::memory_order_relaxed);
  ring.handed_over().store(to, std::memory_order_release);
}

// What it has sent since it began is taken in from here on, not before: replies would have been dropped.
void losses::take_back(peer_channel& c, std::uint32_t life) {
  const rank_record& there = out_.host().job().rank[c.to];
  out_.host().pid[std::size_t(c.to)] = there.pid.load(std::memory_order_relaxed);
  out_.host().program[std::size_t(c.to)] = there.program;
  out_.take_back(c.to, life);
  std::erase(news_, c.to);
  for (const listener known : of_return_) known(out_.self, c.to);
  if (c.far) out_.far()->link.go_on(c.index);
}

// The refusal is written before this rank looks for new ranks: one either sees it, or is seen and waited for.
void losses::let_no_more_come() {
  if (std::exchange(ends_, true)) return;
  const job_block& job = out_.host().job();
  for (rank_t r = 0; r < out_.self.places; ++r)
    if (out_.is_lost(r) && shares_memory(out_, r)) refuse(ring_to(out_, r));
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in await_hand_overs
  if (gatherings* const left = out_.self.message_layer->left; left != nullptr) {
    left->close();
    out_.self.messages->waits.wait_until([left] { return left->look(), left->closed(); }, "the message that no more ranks join");
  }
  const auto comes = [&](rank_t r) { return out_.to(r).handed_over && job.life(r).now == presence::coming; };
  for (rank_t r = 0; r < out_.self.places; ++r)
    out_.self.messages->waits.wait_until([&] { return !comes(r); }, "the process that comes into the job");
  hear();
}

std::exception_ptr losses::error(rank_t lost, const char* operation) const {
  if (lost == out_.self.rank)  // a new rank, which the teams of the start never had
    return std::make_exception_ptr(
        usage_error(operation,
                    "this rank came into the running job, and is not in the team of the ranks of the start (world()), on "
                    "which containers lie by themselves; await_team() gives a team of its own: on(t) names it"));
  const departure* const known = out_.host().job().why_left(lost);
  return std::make_exception_ptr(known != nullptr ? rank_lost(lost, operation, known->cause, known->host)
                                                  : rank_lost(lost, operation, "cannot be reached any more"));
}

void losses::raise(rank_t lost, const char* operation) const { std::rethrow_exception(error(lost, operation)); }

meant_for_lost::meant_for_lost(rank_t here, const char* operation)
    : rank_lost(here, operation, "was lost before the call reached it, and was replaced") {}

bool is_of_lost(const context& self, const void* place) {
  const host_map& host = *self.host;
  const job_block& job = host.job();
  if (job.epoch.load(std::memory_order_acquire) == 0) return false;
  const auto* const at = static_cast<const std::byte*>(place);
  const std::byte* const first = host.base + host.layout.segment({});
  if (at < first || at >= host.base + host.layout.total()) return false;
  return job.why_left(host.locals().at(local_rank(std::uint64_t(at - first) / host.layout.segment_bytes))) != nullptr;
}

}  // namespace armilla::detail
