// SPDX-License-Identifier: Apache-2.0
// A progress thread, its rings and the network that it shares with its rank.
//
// While the rank looks there by itself it does what the progress thread would, on its own thread and with the endpoint and the
// context of that. When the rank has not looked for ARMILLA_PROGRESS_AFTER, the progress thread looks, and keeps what is for the
// rank. While the rank sleeps, which ends when something comes, the progress thread sleeps too, and the rank wakes it before it
// goes on.
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
// A rank that sleeps for less need not wake the thread afterwards, which costs it a system call.
constexpr std::uint64_t sound_sleep_ns = 2'000'000;

}  // namespace

progress_thread::progress_thread(endpoint& mine, std::atomic<std::uint64_t>* processed) noexcept
    : mine_(mine), self_(mine.out.self), host_(mine.out.host()) {
  mine.in.shows_processed = processed;
}

void progress_thread::until(const std::atomic<bool>& stop) {
  const auto stopped = [&stop] { return stop.load(std::memory_order_acquire); };
  shared_network* const shared = host_.shared;
  if (shared != nullptr)
    shared->serve_by({[](void* mine) { return static_cast<progress_thread*>(mine)->serve_for_rank(); }, this});
  event_count::backoff backoff;
  while (!stopped()) {
    if (look()) {
      backoff = {};
      continue;
    }
    if (mine_.sleeper.idle(backoff) == event_count::step::again) continue;
    if (leaves_all_to_rank())
      mine_.sleeper.prepare_nap();
    else
      mine_.sleeper.prepare_wait();
    if (stopped() || anything_to_do())
      mine_.sleeper.cancel_wait();
    else
      rest(backoff);
  }
  if (shared != nullptr) shared->serve_by({});
}

std::unique_lock<std::mutex> progress_thread::work() const {
  return host_.shared == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(host_.shared->serving());
}

bool progress_thread::rank_serves() const noexcept {
  const remote_traffic* const far = mine_.out.far();
  return far != nullptr && !far->rank.away();
}

// By messages of its host it is asked only in the mode `thread`. Locks would be in the way of a rank that polls.
bool progress_thread::leaves_all_to_rank() const noexcept {
  return rank_serves() && self_.settings->progress != progress_mode::thread;
}

bool progress_thread::anything_to_do() {
  if (leaves_all_to_rank()) return false;
  const auto working = work();
  return mine_.in.anything_has_come() || (mine_.out.any_queued() && !rank_serves());
}

bool progress_thread::look() {
  if (mine_.out.far() != nullptr) look_after_rank();
  if (!leaves_all_to_rank() && look_at_all()) return true;
  if (mine_.sleeper.losses_to_hear()) [[unlikely]]
    hear_losses();
  return false;
}

bool progress_thread::look_at_all() {
  const auto working = work();
  bool any = look_at_rings();
  if (mine_.out.far() != nullptr) any |= look_at_network();
  if (!mine_.out.any_queued() || rank_serves()) return any;
  mine_.out.drain();
  sched_yield();  // on the rank's own core, which has to go on as well
  return true;
}

// Also where all else is left to the rank: while there is something to hear, this thread does not sleep.
void progress_thread::hear_losses() {
  const auto working = work();
  mine_.lost.hear();
  if (const remote_traffic* const far = mine_.out.far()) far->show_events(host_.progress_thread(self_.rank));
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

void progress_thread::look_after_rank() noexcept {
  shared_network& shared = *host_.shared;
  const std::uint64_t now = now_ns();
  const bool sleeps = shared.sleeping_rank();
  const std::uint64_t looked = shared.looked_at(now);
  mine_.out.far()->rank.see(now, shared.looks_of_rank(), looked, sleeps, self_.settings->progress_after_ns);
}

bool progress_thread::look_at_network() {
  remote_traffic& far = *mine_.out.far();
  host_.shared->let_progress_thread_look(far.rank.away());
  if (!take_far()) return false;
  far.came_ns = now_ns();
  notify_rank();
  return true;
}

bool progress_thread::take_far() {
  remote_traffic& far = *mine_.out.far();
  bool any = false;
  for (int i = 0; i < frames_a_turn && mine_.in.poll_far<taker::loop>(); ++i) any = true;
  if (any) mine_.out.flush();
  if (mine_.out.any_queued()) mine_.out.drain();
  const bool under_way = far.any_bulk() || far.wants_buffers() || mine_.out.any_queued();
  host_.shared->set_under_way(under_way);
  if (!under_way) far.show_events(host_.progress_thread(self_.rank));
  return any;
}

bool progress_thread::serve_for_rank() {
  struct in_place_of_rank {
    explicit in_place_of_rank(context& thread) : rank(current) { set_current(&thread); }
    ~in_place_of_rank() { set_current(rank); }
    context* const rank;
  } here(self_);
  host_.shared->let_progress_thread_look(false);  // it has just looked itself
  return take_far();
}

// Behind `prepare_wait`, and a look that found nothing in the rings.
void progress_thread::rest_beside_network(const event_count::backoff& backoff) noexcept {
  shared_network& shared = *host_.shared;
  remote_traffic& far = *mine_.out.far();
  network& net = far.link.net();
  const std::uint64_t now = now_ns();
  if (!leaves_all_to_rank() && shared.keeps_for_progress_thread()) return mine_.sleeper.cancel_wait();
  if (far.rank.away() && shared.under_way()) {  // of some steps no descriptor tells
    const int descriptor = net.descriptor();
    if (descriptor >= 0 && !net.arm()) return mine_.sleeper.cancel_wait();
    return mine_.sleeper.sleep(backoff, now + shortest_nap_ns, event_count::ended_by::anything, descriptor);
  }
  if (!far.rank.away()) {
    const bool rests = far.rank.asleep_for(now) >= sound_sleep_ns && shared.rest();
    const std::uint64_t nap = std::max({self_.settings->progress_after_ns, shortest_nap_ns, far.rank.nap_ns(now)});
    mine_.sleeper.sleep(backoff, rests ? 0 : now + nap, event_count::ended_by::anything);
    return shared.rested();
  }
  const int descriptor = net.descriptor();
  if (descriptor >= 0 && !net.arm()) return mine_.sleeper.cancel_wait();
  const std::uint64_t quarter = (now - far.came_ns) / 4;
  const std::uint64_t nap = descriptor >= 0 ? std::clamp(quarter, calm_nap_ns, longest_nap_at_descriptor_ns)
                                            : std::clamp(quarter, shortest_nap_ns, calm_nap_ns);
  mine_.sleeper.sleep(backoff, now + nap, event_count::ended_by::anything, descriptor);
}

}  // namespace armilla::detail
