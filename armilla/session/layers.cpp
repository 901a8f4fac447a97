// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/layers.hpp"

#include <cstring>
#include <iterator>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/boot/wire_up/launched_end.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fence.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/client_service.hpp"
#include "armilla/rpc/posted_work.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla::detail {
namespace {

struct layer {
  void (*start)(context&, const launch&);
  void (*stop)(context&);
};

constexpr layer layers[] = {{start_stats, stop_stats},       {start_fibers, stop_fibers},
                            {start_messages, stop_messages}, {start_teams, stop_teams},
                            {start_calls, stop_calls},       {start_memory, stop_memory},
                            {start_objects, stop_objects},   {start_progress_thread, stop_progress_thread}};
constexpr int number_of_layers = int(std::size(layers));

void stop_first(context& rank, int n) {
  while (n-- > 0) layers[n].stop(rank);
}

// Where no supervisor of ours ends the job.
void end_with_the_first(context& rank, rank_t lost) {
  if (rank.messages->lost.first() == lost) end_after_loss(rank.session->self, lost);
}

}  // namespace

void start_layers(context& rank, const launch& self) {
  require_one_grade();
  int started = 0;
  try {
    for (; started < number_of_layers; ++started) layers[started].start(rank, self);
    if (self.started != nullptr && self.left == nullptr) rank.messages->lost.tell(end_with_the_first);
  } catch (...) {
    stop_first(rank, started);
    throw;
  }
}

void stop_layers(context& rank) { stop_first(rank, number_of_layers); }

bool stop_beside(context& rank) noexcept {
  if (rank.messages != nullptr) rank.messages->signals.abandon();
  return abandon_progress_thread(rank, rank.settings->loss_grace_ns);
}

namespace {

// Attached clients' calls end in any case. A fiber that was detached, or spawned and forgotten, is a part of the job like what a
// body leaves behind.
void join_all_but(context& rank, std::uint64_t others) {
  const client_service& clients = *rank.calls->clients;
  rank.messages->waits.wait_until([&] { return clients.running() == 0 && own_fibers(rank) <= others; },
                                  "the end of fibers that nobody joins");
}

}  // namespace

std::uint64_t own_fibers(const context& rank) noexcept { return rank.fibers->alive() - rank.calls->clients->running(); }

void final_fence(context& rank, std::uint64_t others, ending_of which) {
  join_all_but(rank, others);
  rank.objects->table.end(rank);
  run_end_fence(which);
  rank.objects->table.go_on();
}

void await_instances(context& rank, std::uint64_t others) {
  join_all_but(rank, others);
  run_ending_fence(rank);
}

void take_outside_calls(context& rank, bool on) noexcept { rank.calls->clients->take_calls(on); }

void end_posts(context& rank) { rank.calls->posted->close(posted_work::rest::started); }

void tell_errors_at_once(context& rank, bool on) { rank.calls->tell_errors = on; }

void let_go(context& rank) {
  note_errors_at_end(rank);
  destroy_objects(rank);
  join_all_but(rank, 0);
  run_end_fence(ending_of::objects);
}

bool serve_until(context& rank, const std::atomic<std::uint32_t>& count, std::uint32_t target) {
  const auto ready = [&] { return count.load(std::memory_order_acquire) >= target; };
  endpoint& messages = *rank.messages;
  const std::unique_ptr<region>& next = rank.session->next_region;
  messages.waits.wait_until([&] { return ready() || next != nullptr || messages.out.is_lost(0); }, serving_wait);
  if (next != nullptr) return true;
  if (!ready()) messages.lost.raise(0, "run_main");
  return false;
}

namespace {

struct main_done_record {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    std::uint64_t mains;
    if (size != sizeof mains) throw_damaged(source, "the number of functions that have returned, its length", size);
    std::memcpy(&mains, at, sizeof mains);
    in.self.session->self.job->mains_done.store(std::uint32_t(mains), std::memory_order_release);
    wake_all(in.self);
  }
};
handler_slot& main_done_slot = fixed_handler<main_done_record, well_known(handler_range::session, 0)>;

}  // namespace

void tell_main_done(context& rank, std::uint32_t mains) {
  rank.session->self.job->mains_done.store(mains, std::memory_order_release);
  wake_all(rank);
  const std::uint64_t number = mains;
  for (rank_t r = 0; r < rank.places; ++r)
    if (rank.host->far[std::size_t(r)])
      outbox_of(rank).far()->send_control(r, main_done_slot.id, &number, sizeof number, nullptr, 0);
}

void wake_all(context& rank) {
  rank.host->locals().each([&](rank_t r) {
    if (r != rank.rank) rank.out->notify(r);
  });
}

}  // namespace armilla::detail
