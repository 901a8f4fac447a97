// SPDX-License-Identifier: Apache-2.0
// How a rank sleeps beside a network.
#include <sched.h>

#include <algorithm>

#include "armilla/am/endpoint/progress.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t nap_ns = 500'000;                // beside a network without a descriptor
constexpr std::uint64_t longest_sleep_ns = 100'000'000;  // at a descriptor

}  // namespace

void progress::sleep_beside_network(const event_count::backoff& backoff, std::uint64_t deadline_ns, bool closed) noexcept {
  remote_traffic& far = *out_.far();
  shared_network* const shared = out_.host().shared;
  if (far.any_bulk() || (shared != nullptr && shared->wants_service()) ||
      (out_.routing() != nullptr && out_.routing()->any_late())) {  // moves only while this rank looks
    sleeper_.cancel_wait();
    sched_yield();
    return;
  }
  network& net = far.link.net();
  const int descriptor = far.wants_buffers() ? -1 : net.descriptor();
  if ((shared != nullptr && (shared->keeps_for_rank() || shared->wants_service())) || (descriptor >= 0 && !net.arm()))
    return sleeper_.cancel_wait();
  if (shared != nullptr) shared->rank_sleeps();
  far.show_events(out_.host().control(self_.rank));
  // A network may have something to send of which no descriptor tells, a reply of its own perhaps, that found no room.
  const std::uint64_t now = now_ns();
  const std::uint64_t longest = descriptor < 0 ? nap_ns : std::clamp((now - backoff.began_ns) / 2, nap_ns, longest_sleep_ns);
  const std::uint64_t wake_up = now + longest;
  const auto by = closed ? event_count::ended_by::ranks : event_count::ended_by::anything;
  sleeper_.sleep(backoff, deadline_ns != 0 && deadline_ns < wake_up ? deadline_ns : wake_up, by, descriptor);
  if (shared != nullptr) shared->rank_woke();
  if (descriptor >= 0) far.look_for_losses_next();  // that many naps would have passed
}

}  // namespace armilla::detail
