// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/ledger.hpp"

#include "armilla/am/far_traffic.hpp"
#include "armilla/am/inbox.hpp"
#include "armilla/am/router.hpp"
#include "armilla/fabric/host_map.hpp"

// Model: tests/models/order/counters.rs
// Model: tests/models/protocols/fence.pml
namespace armilla::detail {

// Over the open rings: where most peers are never sent to, a sum over all of them would be most of a fence.
std::uint64_t ledger::created() const noexcept {
  std::uint64_t sum = 0;
  for (const std::uint32_t i : out_.open_rings()) sum += out_.channel(i).ring.position();
  return out_.far() == nullptr ? sum : sum + out_.far()->link.sent();
}

std::uint64_t ledger::lines_sent(rank_t r) const noexcept {
  if (out_.host().far[std::size_t(r)]) [[unlikely]]
    return out_.far()->lines_sent(r);
  return out_.to(r).ring.position() + (out_.has_progress_threads() ? out_.to_progress_thread(r).ring.position() : 0);
}

// What goes by way of others is counted from end to end: these need not be in the team.
std::uint64_t ledger::created_for(rank_t r) const noexcept {
  return lines_sent(r) + (out_.routes() != nullptr ? out_.routes()->created_for(r) : 0);
}

// What the progress thread has done is seen with all its effects. Its replies are not counted: a caller waits for each.
std::uint64_t ledger::processed_from(rank_t r) const noexcept {
  return in_.taken_from(r) + (out_.routes() != nullptr ? out_.routes()->begun_from(r) : 0) +
         (in_.processed_by_thread() != nullptr ? in_.processed_by_thread()[std::size_t(r)].load(std::memory_order_acquire) : 0);
}

std::uint64_t ledger::processed() const noexcept {
  std::uint64_t sum = in_.taken();
  if (in_.processed_by_thread() != nullptr)
    for (rank_t r = 0; r < out_.self.places; ++r)
      sum += in_.processed_by_thread()[std::size_t(r)].load(std::memory_order_acquire);
  return sum - deferred();
}

std::uint64_t ledger::deferred() const noexcept { return deferred_ + out_.self.fibers->counted(); }

}  // namespace armilla::detail
