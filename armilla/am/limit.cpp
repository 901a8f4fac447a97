// SPDX-License-Identifier: Apache-2.0
// Polls that do no more for other ranks than they are allowed to: a body is counted when it begins, and what may not begin stays
// where it is.
#include <algorithm>

#include "armilla/am/endpoint.hpp"
#include "armilla/base/clock.hpp"

namespace armilla::detail {

const run_rest limited_run{nullptr, nullptr};

bool poll_limit::spent() const noexcept { return bodies == 0 || (deadline_ns != 0 && now_ns() >= deadline_ns); }

poll_limit unasked_limit::from_now() const noexcept {
  poll_limit most;
  if (bodies != 0) most.bodies = bodies;
  if (ns != 0) most.deadline_ns = now_ns() + ns;
  return most;
}

bool poll_limits::take_body(rank_t source) noexcept {
  if (now == nullptr) return true;
  if (now->spent()) return false;
  --now->bodies;
  turn = source + 1;
  return true;
}

// Nothing of a frame has begun: it stays in front of its ring, and does not bar what others have sent.
void endpoint::put_back(arrival& a, const std::byte* record) noexcept {
  a.kept = true;
  arriving_ = nullptr;
  if (a.in != nullptr && record == a.first) return;
  a.at = record;
  left_.emplace(left_frame{a, {nullptr, nullptr}});
}

// A handler whose bodies may wait asks between them, `goes_on`; the items of another one are given to it one by one.
void endpoint::run_limited(arrival& a, handler_id h, const std::byte* items, std::size_t bytes) {
  const std::byte* const end = items + bytes;
  const std::size_t item = handlers_.limited[h];
  a.handler = h;
  a.at = end;
  if (item == handler_table::whole_runs) {
    limits_.take_body(a.source);
    if (handlers_.may_wait[h] != 0) a.run = const_cast<run_rest*>(&limited_run);  // a mark: it is never written
    return run_bodies<true>(a.source, h, items, bytes);
  }
  solo_ = solo_ && bytes == item;
  for (const std::byte* at = items; at != end; at += std::min(item, std::size_t(end - at))) {
    if (!limits_.take_body(a.source)) {
      left_.emplace(left_frame{a, {at, end}});
      a.kept = true;
      arriving_ = nullptr;
      return;
    }
    run_bodies<true>(a.source, h, at, std::min(item, std::size_t(end - at)));
  }
}

void endpoint::limit_run(run_rest& rest) noexcept {
  arriving_->run = &rest;
  rest.until = reinterpret_cast<const std::byte*>(&limited_run);
}

bool endpoint::goes_on(run_rest& rest) noexcept {
  if (rest.at == rest.end) return false;
  if (limits_.take_body(arriving_->source)) return true;
  detach_body();
  return false;
}

}  // namespace armilla::detail
