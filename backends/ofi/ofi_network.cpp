// SPDX-License-Identifier: Apache-2.0
// Loss, sleep, and the end.
#include "backends/ofi/ofi_network.hpp"

#include <sched.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include <rdma/fi_endpoint.h>

namespace armilla::ofi {
namespace {

constexpr auto last_words_within = std::chrono::milliseconds(100);

}  // namespace

// ---- loss ----

/// What libfabric has of it ends when libfabric says so: until then it may use the memory.
void ofi_network::lose(rank_t r, std::string why) {
  peer& p = peer_of(r);
  if (p.lost || finished_) return;
  p.lost = true;
  under_way_ -= p.under_way;
  kept_buffers_ += p.frames;
  for (operation_list waiting = p.waiting.taken(); !waiting.empty();) drop(waiting.pop());
  p.offered.clear();
  p.asked.clear();
  for (operation_list all = unposted_.taken(); !all.empty();)
    if (operation& each = all.pop(); each.what == operation::kind::receive || each.with != r) unposted_.push(each);
  for (transfer& each : transfers_) {
    if (each.with != r || each.over) continue;
    if (each.posted)
      fi_cancel(&endpoint_->fid, &each.context);
    else
      each.over = true;
  }
  losses_.push_back({r, std::move(why)});
}

/// Not for one rank's sake.
void ofi_network::broken(std::string why) {
  if (!broken_ && !finished_) losses_.push_back({rank_, version_ + ": " + std::move(why)});
  broken_ = true;
}

detail::network::loss ofi_network::lost() {
  if (told_ == losses_.size()) return {};
  const told_loss& next = losses_[told_++];
  return {next.rank, next.why.c_str()};
}

void ofi_network::expect(rank_t r) {
  const auto is_of = [r](const receive_slot& slot) { return rank_t(slot.head().source & ~packet_head::asks) == r; };
  for (operation_list all = arrivals_.taken(); !all.empty();) {
    auto& slot = static_cast<receive_slot&>(all.pop());
    is_of(slot) ? receive(slot) : arrivals_.push(slot);
  }
  std::erase_if(early_, [&](receive_slot* slot) { return is_of(*slot) && (receive(*slot), true); });
  lose(r, "it has ended");
  address_head before;
  std::memcpy(&before, all_ + std::size_t(r) * room_for_address, sizeof before);
  const std::uint32_t life = peer_of(r).life + 1;
  peer_of(r) = {};
  peer_of(r).life = life;
  peer_of(r).gone = before.key ^ key_;
}

void ofi_network::give_up(rank_t r) { lose(r, "it was given up"); }

// ---- sleep ----

bool ofi_network::arm() {
  if (!arrivals_.empty() || finished_ || descriptor() < 0) return false;
  fid* const what = &queue_->fid;
  fid* all[] = {what};
  return fi_trywait(fabric_.get(), all, 1) == FI_SUCCESS;
}

// ---- the end ----

void ofi_network::finish() {
  if (finished_) return;
  finished_ = true;  // what comes from here on is dropped
  if (endpoint_) last_words();
  endpoint_.reset();
  for (transfer& each : transfers_) end(each);
  two_way_calls_.clear();
  buffers_.clear();
  free_two_way_calls_ = free_buffers_ = nullptr;
  current_ = nullptr;
  receive_memory_ = {};
  arrivals_ = unposted_ = {};
  queue_.reset();
  addresses_.reset();
  domain_.reset();
  fabric_.reset();
  descriptor_ = -1;
}

/// Frames and answers that have not left, if their receivers make room soon.
void ofi_network::last_words() {
  const auto limit = std::chrono::steady_clock::now() + last_words_within;
  while ((under_way_ != 0 || !with_waiting_.empty()) && !broken_ && std::chrono::steady_clock::now() < limit) {
    progress();
    sched_yield();
  }
}

}  // namespace armilla::ofi
