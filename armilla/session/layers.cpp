// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/layers.hpp"

#include <time.h>

#include <cstring>
#include <iterator>

#include "armilla/boot/launched_end.hpp"
#include "armilla/session/session_state.hpp"

#if ARMILLA_HAS_MESSAGES
#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#endif
#if ARMILLA_HAS_OBJECTS
#include "armilla/base/error.hpp"
#endif
#if ARMILLA_HAS_TEAMS
#include "armilla/team/fence.hpp"
#endif
#if ARMILLA_HAS_CALLS
#include "armilla/rpc/calls.hpp"
#endif

namespace armilla::detail {
namespace {

struct layer {
  void (*start)(context&, const launch&);
  void (*stop)(context&);
};

constexpr layer layers[] = {
#if ARMILLA_HAS_STATS
    {start_stats, stop_stats},
#endif
    {start_fibers, stop_fibers},
#if ARMILLA_HAS_MESSAGES
    {start_messages, stop_messages},
#endif
#if ARMILLA_HAS_TEAMS
    {start_teams, stop_teams},
#endif
#if ARMILLA_HAS_CALLS
    {start_calls, stop_calls},
#endif
#if ARMILLA_HAS_MEMORY
    {start_memory, stop_memory},
#endif
#if ARMILLA_HAS_OBJECTS
    {start_objects, stop_objects},
#endif
    {start_attendant, stop_attendant}, {nullptr, nullptr}};

void stop_first(context& rank, int n) {
  while (n-- > 0)
    if (layers[n].stop != nullptr) layers[n].stop(rank);
}

#if ARMILLA_HAS_MESSAGES
// Where no supervisor of ours ends the job.
void end_with_the_first(context& rank, rank_t lost) {
  if (rank.messages->first_lost() == lost) end_after_loss(rank.session->self, lost);
}
#endif

}  // namespace

void start_layers(context& rank, const launch& self) {
  int started = 0;
  try {
    for (; layers[started].start != nullptr; ++started) layers[started].start(rank, self);
#if ARMILLA_HAS_MESSAGES
    if (self.started != nullptr) rank.messages->tell_of_losses(end_with_the_first);
#endif
  } catch (...) {
    stop_first(rank, started);
    throw;
  }
}

void stop_layers(context& rank) { stop_first(rank, int(std::size(layers))); }

namespace {

// A fiber that was detached, or spawned and forgotten, is a part of the job like what a body leaves behind.
void join_all_but([[maybe_unused]] context& rank, [[maybe_unused]] std::uint64_t others) {
#if ARMILLA_HAS_MESSAGES
  rank.messages->wait_until([&] { return own_fibers(rank) <= others; }, "the end of fibers that nobody joins");
#endif
}

}  // namespace

std::uint64_t own_fibers(const context& rank) noexcept { return rank.fibers->alive(); }

void final_fence(context& rank, std::uint64_t others, [[maybe_unused]] ending_of which) {
  join_all_but(rank, others);
#if ARMILLA_HAS_TEAMS
  run_end_fence(which);
#endif
}

void await_instances(context& rank, std::uint64_t others) {
  join_all_but(rank, others);
#if ARMILLA_HAS_TEAMS
  run_ending_fence(rank);
#endif
}

void tell_errors_at_once([[maybe_unused]] context& rank, [[maybe_unused]] bool on) {
#if ARMILLA_HAS_CALLS
  rank.calls->tell_errors = on;
#endif
}

// Destructors may call objects that are gone already: such errors at the end are nobody's.
void let_go([[maybe_unused]] context& rank) {
#if ARMILLA_HAS_OBJECTS
  destroy_objects(rank);
  join_all_but(rank, 0);
  try {
    run_end_fence(ending_of::objects);
  } catch (const remote_error&) {}
#endif
}

void serve_until([[maybe_unused]] context& rank, const std::atomic<std::uint32_t>& count, std::uint32_t target) {
  const auto ready = [&] { return count.load(std::memory_order_acquire) >= target; };
#if ARMILLA_HAS_MESSAGES
  endpoint& messages = *rank.messages;
  messages.wait_until([&] { return ready() || messages.is_lost(0); }, "run_main: serving until its function returns");
  if (!ready()) messages.throw_lost(0, "run_main");
#else
  for (const timespec pause{0, 1'000'000}; !ready();) nanosleep(&pause, nullptr);
#endif
}

#if ARMILLA_HAS_MESSAGES
namespace {

struct main_done_record {
  static void run(endpoint& self, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t mains;
    if (size != sizeof mains) self.throw_damaged(source, "the number of functions that have returned, its length", size);
    std::memcpy(&mains, at, sizeof mains);
    self.self().session->self.job->mains_done.store(std::uint32_t(mains), std::memory_order_release);
    wake_all(self.self());
  }
};
handler_slot& main_done_slot = fixed_handler<main_done_record, main_done_handler>;

}  // namespace
#endif

void tell_main_done(context& rank, std::uint32_t mains) {
  rank.session->self.job->mains_done.store(mains, std::memory_order_release);
  wake_all(rank);
#if ARMILLA_HAS_MESSAGES
  const std::uint64_t number = mains;
  for (rank_t r = 0; r < rank.ranks; ++r)
    if (rank.host->far[std::size_t(r)]) rank.messages->far().send_aside(r, main_done_slot.id, &number, sizeof number, nullptr, 0);
#endif
}

void wake_all([[maybe_unused]] context& rank) {
#if ARMILLA_HAS_MESSAGES
  for (rank_t r = 0; r < rank.ranks; ++r)
    if (r != rank.rank) rank.messages->notify(r);
#endif
}

}  // namespace armilla::detail
