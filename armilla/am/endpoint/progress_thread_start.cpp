// SPDX-License-Identifier: Apache-2.0
// The progress thread, which serves one-sided access and safe bodies while its rank computes: its start and end.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/progress_thread.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

/// A progress thread has a context of its own: its rank's, except what only one thread may touch.
struct progress_thread_state {
  explicit progress_thread_state(const context& rank)
      : mine(rank), thread(start_helper_thread("progress thread", [this, &rank] {
          run(*rank.messages);
          over.store(true, std::memory_order_release);
        })) {}

  void run(endpoint& of_rank) noexcept try {
    set_current(&mine);
    take_short_turns();
    rank_stats counts;
    mine.count = &counts.own;
    mine.stats = &counts;
    mine.body_depth = 0;
    scheduler fibers(mine, mine.settings->stack, 0);
    mine.fibers = &fibers;
    fibers.refuse_fibers();
    mine.messages = nullptr;
    mine.out = nullptr;
    endpoint messages(mine, *mine.host, role::progress_thread);
    mine.messages = &messages;
    mine.out = &messages.out;
    progress_thread(messages, of_rank.in.processed_by_thread()).until(stop);
    if (!abandoned.load(std::memory_order_relaxed)) messages.close_network();
    set_current(nullptr);
  } catch (const std::exception& why) { fatal("progress thread", text_of(why)); }

  context mine;
  std::atomic<bool> stop = false, abandoned = false, over = false;
  std::thread thread;
};

void start_progress_thread(context& self, const launch&) {
  if (self.settings->progress != progress_mode::thread && self.host->shared == nullptr) return;
  self.host->progress_thread(self.rank).present.store(1, std::memory_order_release);
  self.progress_thread = new progress_thread_state(self);
}

namespace {

void ask_to_stop(const context& self, progress_thread_state& state) {
  state.stop.store(true, std::memory_order_release);
  wake(self.host->progress_thread(self.rank));
}

void join(const context& self, progress_thread_state* state) {
  state->thread.join();
  self.host->progress_thread(self.rank).present.store(0, std::memory_order_release);
  delete state;
}

}  // namespace

void stop_progress_thread(context& self) {
  progress_thread_state* const state = std::exchange(self.progress_thread, nullptr);
  if (state == nullptr) return;
  ask_to_stop(self, *state);
  join(self, state);
}

bool abandon_progress_thread(context& self, std::uint64_t within_ns) noexcept {
  progress_thread_state* const state = self.progress_thread;
  if (state == nullptr) return true;
  state->abandoned.store(true, std::memory_order_relaxed);
  ask_to_stop(self, *state);
  if (state->thread.get_id() == std::this_thread::get_id()) return false;
  const std::uint64_t until = deadline_after_ns(within_ns);
  while (!state->over.load(std::memory_order_acquire)) {
    if (now_ns() >= until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  self.progress_thread = nullptr;
  join(self, state);
  return true;
}

}  // namespace armilla::detail
