// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/losses.hpp"

#include <algorithm>

#include "armilla/am/far_traffic.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/loss_log.hpp"
#include "armilla/fabric/host_map.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {

losses::losses(outbox& out, event_count& sleeper) noexcept : out_(out), sleeper_(sleeper), count_(out.count()) {
  sleeper.watch_losses(out.host().job().losses.count);
}

// Ends the waits for ranks that have been lost since the last time: fibers become ready, conditions come true.
bool losses::hear() {
  sleeper_.hear_losses();
  for (const loss_record& e : told_losses(out_.host().job())) {  // in their order: the first is the cause of most others
    if (e.complete.load(std::memory_order_acquire) == 0) continue;
    for (rank_t r = std::max(e.first, 0); r <= e.last && r < out_.self.ranks; ++r)
      if (r != out_.self.rank && !out_.is_lost(r)) lose(r);
  }
  for (const follower told : followers_) told(out_.self);
  return true;
}

// In the order of tell_loss: counts, then wakes.
void losses::again() {
  out_.host().job().losses.count.fetch_add(1, std::memory_order_seq_cst);
  for (rank_t r = 0; r < out_.self.ranks; ++r) out_.notify(r);
}

void losses::lose(rank_t r) {
  if (first_ == no_rank) first_ = r;
  out_.lose(r);
  for (const listener told : listeners_) told(out_.self, r);
  if (out_.to(r).far && out_.far() != nullptr) out_.far()->lose(r);
}

std::exception_ptr losses::error(rank_t lost, const char* operation) const {
  const loss_record* const known = find_loss(out_.host().job(), lost);
  return std::make_exception_ptr(known != nullptr ? rank_lost(lost, operation, known->cause, known->host)
                                                  : rank_lost(lost, operation, "cannot be reached any more"));
}

void losses::raise(rank_t lost, const char* operation) const { std::rethrow_exception(error(lost, operation)); }

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

}  // namespace armilla::detail
