// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/parked.hpp"

#include <memory>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/spawn.hpp"

// Model: tests/models/protocols/fence.pml
namespace armilla::detail {

/// Runs parked calls on a fiber of its own.
struct parked_runner {
  context& self;
  std::shared_ptr<parked_calls> calls;

  static void start(context& self, const std::shared_ptr<parked_calls>& calls) noexcept {
    try {
      spawn(parked_runner{self, calls});
    } catch (const limit_error&) { parked_runner{self, calls}.run_on_this_stack(); }
  }

  // A body that brings calls to life becomes a fiber for that, if it may.
  static bool may_switch(const context& self) noexcept { return !in_parallel_region() && self.messages->in.may_leave_body(); }

  void operator()() {
    fiber_record& me = self.fibers->running();
    me.own_depth = ++self.body_depth;
    parked_call call;
    do {
      if (!calls->take(call)) break;
      me.on_wait = &go_on_elsewhere;
      me.on_wait_for = this;
      run(call);
    } while (me.on_wait != nullptr);  // else it has waited, and another fiber goes on
    me.on_wait = nullptr;
    --self.body_depth;
    me.own_depth = 0;
  }

 private:
  static void go_on_elsewhere(fiber_record& waiting) {
    const parked_runner& mine = *static_cast<const parked_runner*>(waiting.on_wait_for);
    if (mine.calls->size() != 0) start(mine.self, mine.calls);
  }

  // There is no memory for a stack. A body may be under these calls, and its frame must stay: one that waits gets a usage_error.
  void run_on_this_stack() noexcept {
    const inbox::outside_frames here(self.messages->in);
    ++self.body_depth;
    parked_call call;
    while (calls->take(call)) run(call);
    --self.body_depth;
  }

  void run(const parked_call& call) noexcept {
    try {
      self.messages->in.run_parked(call.source, call.handler, call.message.data(), call.message.size());
    } catch (const passing&) {
    } catch (...) { self.fibers->lose_error(std::current_exception()); }
    calls->turn_ = false;
    self.messages->sums.resume();
    self.messages->out.flush();
  }
};

void parked_calls::add(context& self, parked_call call) {
  waiting_.push_back(std::move(call));
  self.messages->sums.defer();
}

bool parked_calls::take(parked_call& call) {
  if (waiting_.empty()) return false;
  call = std::move(waiting_.front());
  waiting_.pop_front();
  return turn_ = true;
}

void parked_calls::drop(context& self) noexcept {
  for (; !waiting_.empty(); waiting_.pop_front()) self.messages->sums.resume();
}

void parked_calls::open(context& self, const std::shared_ptr<parked_calls>& calls) noexcept {
  calls->open_ = true;
  if (calls->waiting_.empty()) return;
  parked_runner::start(self, calls);
  calls->let_begin(self);
}

bool parked_calls::let_begin(context& self) noexcept {
  if (over() || !parked_runner::may_switch(self)) return false;
  try {
    self.fibers->let_run("calls that were put off");
    return true;
  } catch (const error&) { return false; }  // no stack for the loop: their turn comes later
}

}  // namespace armilla::detail
