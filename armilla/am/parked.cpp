// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/parked.hpp"

#include "armilla/am/endpoint.hpp"
#include "armilla/fiber/spawn.hpp"

namespace armilla::detail {

/// Runs parked calls on a fiber of its own.
struct parked_runner {
  endpoint& self;
  std::shared_ptr<parked_calls> calls;

  static void start(endpoint& self, const std::shared_ptr<parked_calls>& calls) noexcept {
    try {
      spawn(parked_runner{self, calls});
    } catch (const limit_error&) { parked_runner{self, calls}.run_on_this_stack(); }
  }

  // A body that brings calls to life becomes a fiber for that, if it may.
  static bool may_switch(const endpoint& self) noexcept {
    return !in_parallel_region() &&
           (!self.in_body() || self.body_has_waited() || (self.arriving_ != nullptr && self.arriving_->run != nullptr));
  }

  void operator()() {
    fiber_record& me = self.self_.fibers->running();
    me.own_depth = ++self.self_.body_depth;
    parked_call call;
    do {
      if (!calls->take(call)) break;
      me.on_wait = &go_on_elsewhere;
      me.on_wait_for = this;
      run(call);
    } while (me.on_wait != nullptr);  // else it has waited, and another fiber goes on
    me.on_wait = nullptr;
    --self.self_.body_depth;
    me.own_depth = 0;
  }

 private:
  static void go_on_elsewhere(fiber_record& waiting) {
    const parked_runner& mine = *static_cast<const parked_runner*>(waiting.on_wait_for);
    if (mine.calls->size() != 0) start(mine.self, mine.calls);
  }

  // Without memory for a stack. Around it may be a body, whose frame is not to be left because of these: they are refused a wait.
  void run_on_this_stack() noexcept {
    arrival* const outer = std::exchange(self.arriving_, nullptr);
    ++self.self_.body_depth;
    parked_call call;
    while (calls->take(call)) run(call);
    --self.self_.body_depth;
    self.arriving_ = outer;
  }

  void run(const parked_call& call) noexcept {
    try {
      const timed runtime(self.watch_, component::runtime);
      self.solo_ = false;
      self.run_bodies<true>(call.source, call.handler, call.item.data(), call.item.size());
    } catch (...) { self.self_.fibers->lose_error(std::current_exception()); }
    calls->turn_ = false;
    self.resume();
    self.flush();
  }
};

void parked_calls::add(endpoint& self, parked_call call) {
  waiting_.push_back(std::move(call));
  self.defer();
}

bool parked_calls::take(parked_call& call) {
  if (waiting_.empty()) return false;
  call = std::move(waiting_.front());
  waiting_.pop_front();
  return turn_ = true;
}

void parked_calls::drop(endpoint& self) noexcept {
  for (; !waiting_.empty(); waiting_.pop_front()) self.resume();
}

void parked_calls::open(endpoint& self, const std::shared_ptr<parked_calls>& calls) noexcept {
  calls->open_ = true;
  if (calls->waiting_.empty()) return;
  parked_runner::start(self, calls);
  calls->let_begin(self);
}

bool parked_calls::let_begin(endpoint& self) noexcept {
  if (over() || !parked_runner::may_switch(self)) return false;
  try {
    self.self().fibers->let_run("calls that were put off");
    return true;
  } catch (const error&) { return false; }  // no stack for the loop: their turn comes later
}

}  // namespace armilla::detail
