// SPDX-License-Identifier: Apache-2.0
// Polls that do no more for other ranks than they are allowed to: a body is counted when it begins, and what may not begin stays
// where it is.
#include <algorithm>
#include <cstring>
#include <utility>

#include "armilla/am/endpoint/block.hpp"
#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/stats/method_counts.hpp"

namespace armilla::detail {

const bundle_rest limited_bundle{nullptr, nullptr};

bool poll_limit::spent() const noexcept { return bodies == 0 || (deadline_ns != 0 && !owes_one && now_ns() >= deadline_ns); }

poll_limit unasked_limit::from_now() const noexcept {
  poll_limit most;
  if (bodies != 0) most.bodies = bodies;
  if (ns != 0) most.deadline_ns = now_ns() + ns;
  most.owes_one = true;
  return most;
}

bool poll_limits::take_body(rank_t source) noexcept {
  if (now == nullptr) return true;
  if (now->spent()) return false;
  --now->bodies;
  now->owes_one = false;
  turn = source + 1;
  return true;
}

// Whether this poll takes in anything of it. An order of arrivals is one of beginnings.
bool inbox::may_begin(const arrival& a) const noexcept {
  bundle_header head;
  if (!limits.bar(a.source) || std::size_t(a.end - a.at) < sizeof head) return true;
  std::memcpy(&head, a.at, sizeof head);
  return head.handler >= handlers_.size || !is_work(head.handler, a.at + sizeof head, a.end);
}

// The rest of a frame stays with its source, in front of what that sends later, and does not bar what others have sent. It is
// a frame of bundles again: the rest of a bundle gets a header, in the place of messages that are over.
void inbox::put_back(arrival& a, const bundle_rest& rest) {
  const bool in_bundle = rest.at != rest.end;
  const std::byte* const next = in_bundle ? rest.at - sizeof(bundle_header) : a.at;
  std::byte* const place = a.in != nullptr ? put_back_near(*a.in, next) : put_back_far(a, next);
  if (in_bundle && place != nullptr) {
    const bundle_header head{a.handler, std::uint32_t(rest.end - rest.at)};
    std::memcpy(place, &head, sizeof head);
    if (methods_ != nullptr) methods_->take_back(a.handler, head.length);
  }
  a.kept = true;
  arriving_ = nullptr;
}

// It stays in front of its ring, whose lines are this reader's until it gives them back. While there is one, frames are observed.
std::byte* inbox::put_back_near(inbound& in, const std::byte* next) noexcept {
  ++put_back_;
  return in.next = const_cast<std::byte*>(next);
}

// A block that the network has brought is one message, and so is what was put off.
std::byte* inbox::put_back_far(arrival& a, const std::byte* next) {
  if (a.far.bytes != 0) return out.far()->link.put_back(a.far, next);
  bundle_header head;
  std::memcpy(&head, a.first, sizeof head);
  if (head.handler != bulk_handler) {
    const std::byte* const message = a.first + sizeof head;
    out.routing()->put_back_late({a.source, 0, head.handler, {message, message + head.length}});
    out.far()->go_on(a.source);
    delete[] a.far.copy;
    return nullptr;
  }
  bulk_name name;
  std::memcpy(&name, a.first + sizeof(bundle_header), sizeof name);
  std::byte* const block = out.host().segment_start(self.rank) + name.offset;
  out.far()->receiving.push_back({a.source, block, std::size_t(name.size), name.handler, remote_traffic::has_come, false});
  delete[] a.far.copy;
  return nullptr;
}

// Whether it was put back before; then it goes on where it ended.
bool inbox::take_up(arrival& a) noexcept {
  if (a.in == nullptr) return a.far.next != nullptr;
  if (a.in->next == nullptr) return false;
  a.at = std::exchange(a.in->next, nullptr);
  if (--put_back_ == 0) note_observers();
  return true;
}

// Whether a message is a body or an active message of this rank. A block may hold a reply as well.
bool inbox::is_work(handler_id h, const std::byte* message, const std::byte* end) const noexcept {
  if (handlers_.limited[h] == 0) return false;
  if (h == relay_handler && router::is_to_pass_on(self.rank, message, end)) return false;
  bulk_name name;
  if (h != bulk_handler || std::size_t(end - message) < sizeof name) return true;
  std::memcpy(&name, message, sizeof name);
  return name.handler >= handlers_.size || handlers_.limited[name.handler] != 0;
}

// A handler whose bodies may wait asks `goes_on` between them; any other is given its messages one by one.
void inbox::run_limited(arrival& a, handler_id h, const std::byte* messages, std::size_t bytes) {
  const std::byte* const end = messages + bytes;
  const std::size_t message_size = handlers_.limited[h];
  a.handler = h;
  a.at = end;
  if (message_size == handler_table::whole_bundles) {
    if (is_work(h, messages, end)) limits.take_body(a.source);
    if (handlers_.may_wait[h] != 0) a.bundle = const_cast<bundle_rest*>(&limited_bundle);  // a mark: it is never written
    return run_bodies<true>(a.source, h, messages, bytes);
  }
  solo_ = solo_ && bytes == message_size;
  for (const std::byte* at = messages; at != end; at += std::min(message_size, std::size_t(end - at))) {
    if (!limits.take_body(a.source)) return put_back(a, {at, end});
    run_bodies<true>(a.source, h, at, std::min(message_size, std::size_t(end - at)));
  }
}

void delivery::limit_bundle(bundle_rest& rest) noexcept {
  arriving_->bundle = &rest;
  rest.until = reinterpret_cast<const std::byte*>(&limited_bundle);
}

bool delivery::goes_on(bundle_rest& rest) noexcept {
  if (rest.at == rest.end) return false;
  auto& a = static_cast<arrival&>(*arriving_);
  inbox& all = static_cast<inbox&>(*this);  // each delivery is a part of one
  if (!all.is_work(a.handler, rest.at, rest.end) || all.limits.take_body(a.source)) return true;
  all.put_back(a, rest);
  rest.leave_nothing();
  return false;
}

}  // namespace armilla::detail
