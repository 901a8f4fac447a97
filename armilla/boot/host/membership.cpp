// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/membership.hpp"

namespace armilla::detail {
namespace {

/// Of a rank whose record has been written over: it left that many losses ago.
const departure forgotten{.complete = 1, .first = 0, .last = 0, .life = 0, .host = "", .cause = "was lost"};

/// Of a place that is kept for a rank that joins.
const departure not_there{.complete = 1, .first = 0, .last = 0, .life = 0, .host = "", .cause = "has not joined the job yet"};

}  // namespace

// Model: tests/models/order/losses.rs
const departure* membership::why_left(rank_t r) const noexcept {
  const rank_life one = life(r);
  if (one.now == presence::living) return nullptr;
  if (!was_taken(r)) return &not_there;
  const departure* found = nullptr;
  for (const departure& e : departures) {
    const std::uint32_t number = e.complete.load(std::memory_order_acquire);
    if (number == 0 || r < e.first || e.last < r || e.life != one.number) continue;
    if (found == nullptr || number < found->complete.load(std::memory_order_relaxed)) found = &e;
  }
  return found != nullptr ? found : &forgotten;
}

}  // namespace armilla::detail
