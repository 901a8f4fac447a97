// SPDX-License-Identifier: Apache-2.0
// A progress thread, its rings and the network that it shares with its rank.
//
// While the rank looks there by itself it keeps what is for the progress thread, and wakes it. When the rank has not looked
// for ARMILLA_PROGRESS_AFTER, the progress thread looks, and keeps what is for the rank. While the rank sleeps, which ends
// when something comes, the progress thread sleeps too, and the rank wakes it before it goes on.
#include "armilla/am/endpoint/progress_thread.hpp"

#include <sched.h>

#include <algorithm>

#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

// Model: tests/models/order/counters.rs
// Model: tests/models/protocols/fence.pml
namespace armilla::detail {
namespace {

constexpr int frames_a_turn = 32;
// Naps beside a network: a quarter of the time since something came, within these; the longest without and with a descriptor.
// The shortest while it moves bulk, too: to spin then makes 1 MiB no quicker over UCX and TCP, and slower over MPI.
constexpr std::uint64_t shortest_nap_ns = 20'000;
constexpr std::uint64_t calm_nap_ns = 500'000;
constexpr std::uint64_t longest_nap_at_descriptor_ns = 100'000'000;

}  // namespace

progress_thread::progress_thread(endpoint& mine, std::atomic<std::uint64_t>* processed) noexcept
    : mine_(mine), self_(mine.out.self), host_(mine.out.host()) {
  mine.in.shows_processed = processed;
}

void progress_thread::until(const std::atomic<bool>& stop) {
  const auto stopped = [&stop] { return stop.load(std::memory_order_acquire); };
  using seen = progress::seen;
  mine_.waits.look_until_over([&] { return stopped() ? seen::over
                                           : look()  ? seen::something
                                                     : seen::nothing; },
                              [&] { return stopped() || mine_.waits.anything_to_do(); },
                              [this](const event_count::backoff& backoff) { rest(backoff); });
}

bool progress_thread::look() {
  bool any = look_at_rings();
  if (mine_.out.far() != nullptr) any |= look_at_network();
  if (!any) mine_.lost.look();
  if (!mine_.out.any_queued()) return any;
  mine_.out.drain();
  sched_yield();  // on the rank's own core, which has to go on as well
  return true;
}

bool progress_thread::look_at_rings() {
  bool any = false;
  // A body that waits is refused: this scheduler has no loop.
  mine_.in.look_at_rings<taker::loop>(any, [this](const inbound& in) {
    mine_.out.flush();
    // release: what the bodies have done; pairs with the acquire in processed_from
    mine_.in.shows_processed[in.source].store(in.reader.position(), std::memory_order_release);
    notify_rank();
    return true;
  });
  return any;
}

void progress_thread::notify_rank() noexcept {
  if (detail::notify(host_.control(self_.rank))) ++mine_.out.count().wakes_sent;
}

void progress_thread::rest(const event_count::backoff& backoff) noexcept {
  if (mine_.out.far() != nullptr)
    rest_beside_network(backoff);
  else
    mine_.sleeper.sleep(backoff, 0, event_count::ended_by::ranks);
}

bool progress_thread::look_at_network() {
  shared_network& shared = *host_.shared;
  remote_traffic& far = *mine_.out.far();
  auto& rank = far.rank;
  const std::uint64_t now = now_ns();
  const bool sleeps = shared.sleeping_rank();
  const std::uint64_t looked = shared.looked_at(now);
  if (const std::uint64_t looks = shared.looks_of_rank(); looks != rank.looks || sleeps) {
    rank.looks = looks;
    rank.since_ns = sleeps ? now : looked;
  }
  // What this side has under way moves only while a thread looks, and a sleeping rank does not.
  const bool under_way = far.any_bulk() || far.wants_buffers() || mine_.out.any_queued();
  rank.away = under_way || now - rank.since_ns >= self_.settings->progress_after_ns;
  shared.let_progress_thread_look(rank.away);
  bool any = false;
  for (int i = 0; i < frames_a_turn && mine_.in.poll_far<taker::loop>(); ++i) any = true;
  if (!any) return false;
  rank.came_ns = now;
  mine_.out.flush();
  notify_rank();
  return true;
}

// Behind `prepare_wait`, and a look that found nothing in the rings.
void progress_thread::rest_beside_network(const event_count::backoff& backoff) noexcept {
  shared_network& shared = *host_.shared;
  remote_traffic& far = *mine_.out.far();
  network& net = far.link.net();
  const auto& rank = far.rank;
  const std::uint64_t now = now_ns();
  if (shared.keeps_for_progress_thread()) return mine_.sleeper.cancel_wait();
  if (far.any_bulk() || far.wants_buffers()) {  // of some steps no descriptor tells
    const int descriptor = net.descriptor();
    if (descriptor >= 0 && !net.arm()) return mine_.sleeper.cancel_wait();
    return mine_.sleeper.sleep(backoff, now + shortest_nap_ns, event_count::ended_by::anything, descriptor);
  }
  if (!rank.away) {
    const bool rests = shared.rest();
    mine_.sleeper.sleep(backoff, rests ? 0 : rank.since_ns + std::max(self_.settings->progress_after_ns, shortest_nap_ns),
                        event_count::ended_by::anything);
    return shared.rested();
  }
  const int descriptor = net.descriptor();
  if (descriptor >= 0 && !net.arm()) return mine_.sleeper.cancel_wait();
  const std::uint64_t quarter = (now - rank.came_ns) / 4;
  const std::uint64_t nap = descriptor >= 0 ? std::clamp(quarter, calm_nap_ns, longest_nap_at_descriptor_ns)
                                            : std::clamp(quarter, shortest_nap_ns, calm_nap_ns);
  mine_.sleeper.sleep(backoff, now + nap, event_count::ended_by::anything, descriptor);
}

}  // namespace armilla::detail
