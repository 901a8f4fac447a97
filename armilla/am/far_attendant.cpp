// SPDX-License-Identifier: Apache-2.0
// What an attendant does about the network that it shares with its rank.
//
// While the rank looks there by itself it puts aside what is for the attendant, and wakes it. When the rank has not looked for
// ARMILLA_ATTEND_AFTER, the attendant looks, and puts aside what is for the rank. While the rank sleeps, which ends when
// something comes, the attendant sleeps too, and the rank wakes it before it goes on.
#include <algorithm>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/options.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {
namespace {

constexpr int frames_a_turn = 32;
// Naps beside a network: a quarter of the time since something came, within these; the longest without and with a descriptor.
constexpr std::uint64_t shortest_nap_ns = 20'000;
constexpr std::uint64_t longest_nap_ns = 500'000;
constexpr std::uint64_t longest_nap_at_descriptor_ns = 100'000'000;

}  // namespace

bool endpoint::attend_network() {
  shared_network& shared = *host_.shared;
  auto& rank = far_->rank;
  const std::uint64_t now = now_ns();
  if (const std::uint64_t looks = shared.looks_of_rank(); looks != rank.looks || shared.sleeping_rank()) {
    rank.looks = looks;
    rank.since_ns = now;
  }
  // What this side has under way moves only while a thread looks, and a sleeping rank does not.
  const bool under_way = far_->any_bulk() || far_->wants_buffers() || spilled_channels_ != 0;
  rank.away = under_way || now - rank.since_ns >= self_.settings->attend_after_ns;
  shared.let_attendant_look(rank.away);
  bool any = false;
  for (int i = 0; i < frames_a_turn && poll_far<taker::loop>(); ++i) any = true;
  if (!any) return false;
  rank.came_ns = now;
  flush();
  if (detail::notify(host_.control(self_.rank))) ++count_.wakes_sent;  // it may wait for what was written
  return true;
}

// A body whose argument is still on its way is not over.
void far_traffic::show_attended(rank_t source) noexcept {
  for (const coming& c : receiving)
    if (c.source == source) return;
  // release: what the bodies have done; pairs with the acquire in processed_from
  self.attends_[std::size_t(source)].store(link.taken(std::uint32_t(source)), std::memory_order_release);
}

// Behind an announced sleep, and a look that found nothing in the rings.
void endpoint::rest_beside_network(const event_count::backoff& backoff) noexcept {
  shared_network& shared = *host_.shared;
  network& net = far_->link.net();
  const auto& rank = far_->rank;
  const std::uint64_t now = now_ns();
  if (shared.keeps_for_attendant()) return event_count_.cancel_wait();
  if (far_->any_bulk() || far_->wants_buffers()) return event_count_.sleep(backoff, now + shortest_nap_ns, false);
  if (!rank.away) {
    const bool rests = shared.rest();
    event_count_.sleep(backoff, rests ? 0 : rank.since_ns + std::max(self_.settings->attend_after_ns, shortest_nap_ns), false);
    return shared.rested();
  }
  const int descriptor = net.descriptor();
  if (descriptor >= 0 && !net.arm()) return event_count_.cancel_wait();
  const std::uint64_t quarter = (now - rank.came_ns) / 4;
  const std::uint64_t nap = descriptor >= 0 ? std::clamp(quarter, longest_nap_ns, longest_nap_at_descriptor_ns)
                                            : std::clamp(quarter, shortest_nap_ns, longest_nap_ns);
  event_count_.sleep(backoff, now + nap, false, descriptor);
}

}  // namespace armilla::detail
