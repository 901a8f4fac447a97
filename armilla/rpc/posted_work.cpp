// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/posted_work.hpp"

#include <sched.h>

#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/core/forked.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/spawn_inline.hpp"
#include "armilla/post.hpp"
#include "armilla/rpc/calls.hpp"

namespace armilla::detail {

// A push that `close` does not see has seen `ended`. The count of pushes keeps the rank's memory until the last one has woken it.
posted_work::outcome posted_work::push(std::unique_ptr<posted_task>& task) noexcept {
  if (is_forked_child()) return outcome::ended;  // the rank is another process
  const std::uint64_t before = state_.fetch_add(one_open + one_pushes, std::memory_order_acq_rel);
  if ((before & ended) != 0 || open_in(before) >= capacity) {
    state_.fetch_sub(one_open + one_pushes, std::memory_order_release);
    return (before & ended) != 0 ? outcome::ended : outcome::full;
  }
  const std::uint64_t at = tail_.fetch_add(1, std::memory_order_relaxed) % capacity;
  slots_[at].store(task.release(), std::memory_order_release);
  control_->called.fetch_or(control_block::called_by_thread, std::memory_order_seq_cst);
  if (control_->sleeping.load(std::memory_order_seq_cst) != awake) wake(*control_);
  state_.fetch_sub(one_pushes, std::memory_order_release);
  return outcome::posted;
}

void posted_work::open(context& rank) noexcept {
  rank_ = &rank;
  control_ = &rank.host->control(rank.rank);
  state_.fetch_and(~ended, std::memory_order_release);
}

std::unique_ptr<posted_task> posted_work::take() noexcept {
  std::unique_ptr<posted_task> next(slots_[head_ % capacity].exchange(nullptr, std::memory_order_acquire));
  if (next == nullptr) return next;
  ++head_;
  return next;
}

// A function that gets no fiber has ended: its future throws broken_promise. Those after it start at a later poll.
bool posted_work::start_fibers() {
  bool any = false;
  while (std::unique_ptr<posted_task> next = take()) try {
      any = true;
      fiber_record& fiber = make_fiber<void>(
          *rank_->fibers,
          [this](std::unique_ptr<posted_task> task) {
            task->run();
            task = nullptr;
            state_.fetch_sub(one_open, std::memory_order_release);
          },
          std::move(next));
      fiber.detached = true;
      rank_->fibers->start(fiber);
    } catch (...) {
      next = nullptr;
      state_.fetch_sub(one_open, std::memory_order_release);
      control_->called.fetch_or(control_block::called_by_thread, std::memory_order_relaxed);
      throw;
    }
  return any;
}

// Those that push now need the core, where there is one for both.
void posted_work::close(rest what) {
  state_.fetch_or(ended, std::memory_order_acq_rel);
  while (any_pushes(state_.load(std::memory_order_acquire))) sched_yield();
  if (what == rest::started)
    start_fibers();
  else
    while (take() != nullptr) state_.fetch_sub(one_open, std::memory_order_release);
}

namespace {

// It outlives each session: threads may post after the end.
posted_work& of_process() {
  static posted_work& work = *new posted_work;
  return work;
}

}  // namespace

std::shared_ptr<posted_work> make_posted_work(const launch& self) {
  if (self.threads) return std::make_shared<posted_work>();
  return {std::shared_ptr<posted_work>(), &of_process()};
}

posted_work& posted_work_of_process() { return of_process(); }

void throw_not_posted(posted_work::outcome how) {
  if (how == posted_work::outcome::full)
    throw_limit("post",
                fmt::format("{} functions that were posted to the rank have not ended; try again later, and let the rank poll",
                            posted_work::capacity));
  throw_usage("post",
              "no rank of this process takes functions: the job has not begun, or it has ended, or ranks are threads, where a "
              "rank_executor that is made on the rank says which one");
}

}  // namespace armilla::detail

namespace armilla {

rank_executor::rank_executor() : work_(detail::here("rank_executor").calls->posted) {}

}  // namespace armilla
