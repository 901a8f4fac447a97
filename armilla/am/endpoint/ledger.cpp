// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/ledger.hpp"

#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/pair_weight.hpp"

// Model: tests/models/order/counters.rs
// Model: tests/models/protocols/fence.pml
namespace armilla::detail {
namespace {

// A pair has three ways, each of which keeps its order: to a rank, to its progress thread, and by way of other ranks.
enum class way : std::uint32_t { straight, to_progress_thread, by_others };

std::uint64_t weight(const context& c, rank_t source, rank_t to, way how) noexcept {
  return pair_weight(std::uint32_t(source), std::uint32_t(to) + std::uint32_t(how) * std::uint32_t(c.places));
}

std::uint64_t lines_sent_on(const outbox& out, const peer_channel& c) noexcept {
  return c.far ? out.far()->link.sent(c.index) : c.ring.position();
}

std::uint64_t processed_by_thread(const inbox& in, const context& c, rank_t r) noexcept {
  const auto* const all = in.processed_by_thread();
  if (all == nullptr) return 0;
  return all[std::size_t(r)].load(std::memory_order_acquire) * weight(c, r, c.rank, way::to_progress_thread);
}

}  // namespace

// Over the open rings, whose numbers are those of their ends: where most peers are never sent to, a sum over all of them would be
// most of a fence.
std::uint64_t ledger::created() const noexcept {
  const auto me = std::uint32_t(out_.self.rank);
  std::uint64_t sum = 0;
  for (const std::uint32_t i : out_.open_rings()) sum += out_.channel(i).ring.position() * pair_weight(me, i);
  return out_.far() == nullptr ? sum : sum + out_.far()->link.weighed_sent();
}

// What goes by way of others is counted from end to end: these need not be in the team.
std::uint64_t ledger::created_for(rank_t r) const noexcept {
  const context& c = out_.self;
  std::uint64_t sum = lines_sent_on(out_, out_.to(r)) * weight(c, c.rank, r, way::straight);
  if (out_.has_progress_threads())
    sum += lines_sent_on(out_, out_.progress_channel(r)) * weight(c, c.rank, r, way::to_progress_thread);
  if (out_.routing() != nullptr) sum += out_.routing()->created_for(r) * weight(c, c.rank, r, way::by_others);
  return sum;
}

// What the progress thread has done is seen with all its effects. Its replies are not counted: a caller waits for each.
std::uint64_t ledger::processed_from(rank_t r) const noexcept {
  const context& c = out_.self;
  std::uint64_t sum = in_.taken_from(r) * weight(c, r, c.rank, way::straight) + processed_by_thread(in_, c, r);
  if (out_.routing() != nullptr) sum += out_.routing()->begun_from(r) * weight(c, r, c.rank, way::by_others);
  return sum;
}

std::uint64_t ledger::processed() const noexcept {
  std::uint64_t sum = in_.weighed_taken();
  if (in_.processed_by_thread() != nullptr)
    for (rank_t r = 0; r < out_.self.places; ++r) sum += processed_by_thread(in_, out_.self, r);
  return sum;
}

std::uint64_t ledger::deferred() const noexcept { return deferred_ + out_.self.fibers->counted(); }

// Counted already, by the network and by the rings.
std::uint64_t bytes_sent_to(const outbox& out, rank_t r) noexcept {
  const peer_channel &c = out.to(r), &progress_thread = out.progress_channel(r);
  if (out.host().far[std::size_t(r)]) return out.far()->lines_sent(r) * cache_line;
  return (c.ring.lines_of_frames() + (&progress_thread != &c ? progress_thread.ring.lines_of_frames() : 0)) * cache_line;
}

}  // namespace armilla::detail
