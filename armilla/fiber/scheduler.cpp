// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/scheduler.hpp"

#include <cxxabi.h>

#include <algorithm>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/explain_wait.hpp"
#include "armilla/fiber/overflow.hpp"
#include "armilla/fiber/sanitizer.hpp"
#include "armilla/fiber/stack_switch.hpp"
#include "armilla/stats/rank_stats.hpp"

// Of OpenMP's runtime, if the program has one.
extern "C" int omp_in_parallel() __attribute__((weak));

#ifdef _LIBCPP_VERSION  // whose header does not declare it
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals();
}  // namespace __cxxabiv1
#endif

namespace armilla::detail {
namespace {

bool in_region() noexcept { return omp_in_parallel != nullptr && omp_in_parallel() != 0; }

// The C++ ABI keeps these per thread, with this layout; a fiber never changes its thread.
exception_globals* globals_of_thread() noexcept { return reinterpret_cast<exception_globals*>(__cxxabiv1::__cxa_get_globals()); }

void enter() { current->fibers->run_fiber(); }

bool later(const auto& a, const auto& b) noexcept { return a.at > b.at; }

}  // namespace

bool in_parallel_region() noexcept { return in_region(); }

void refuse_in_parallel_region(const char* operation) {
  if (in_region()) [[unlikely]]
    throw_usage(
        operation,
        "another fiber would have to run here, inside a parallel region of OpenMP, whose runtime allows no other stack; wait "
        "for fibers and what they hold in front of the region or behind it");
}

scheduler::scheduler(context& self, std::size_t stack_bytes, std::size_t most_kept)
    : self_(self),
      head_(self),
      running_(&main_),
      globals_(globals_of_thread()),
      count_(*self.count),
      watch_(stats_of(self).watch.get()),
      trace_(stats_of(self).events.get()),
      observed_(watch_ != nullptr || trace_ != nullptr),
      has_more_to_do_(watch_ != nullptr),
      pool_(stack_bytes, most_kept) {
  main_.state = fiber_record::state_t::running;
  if (trace_ != nullptr) trace_->set_main(&main_);
  sanitizer_main(main_);
}

scheduler::~scheduler() = default;

// Budget: two records, the exception globals, the stacks. In line in each of its callers: see stack_switch.hpp.
[[gnu::always_inline]] inline void scheduler::switch_to(fiber_record& to) noexcept {
  fiber_record& me = *running_;
  if (&me == &to) [[unlikely]] {
    me.state = fiber_record::state_t::running;
    return;
  }
  ++count_.switches;
  if (observed_) [[unlikely]]
    note_switch(me, to);
  me.body_depth = std::exchange(self_.body_depth, to.body_depth);
  me.exceptions = std::exchange(*globals_, to.exceptions);
  running_ = &to;
  to.state = fiber_record::state_t::running;
  sanitizer_leave(me, to);
  left_ = &me;
  switch_stack(me.context, to.context);
  sanitizer_enter(me, *left_);
  if (has_more_to_do_) [[unlikely]]
    do_more(me);
}

// A switch that nothing else notices: it is not counted, and the fiber's exceptions stay where they are.
[[gnu::always_inline]] inline void scheduler::visit(fiber_record& to) noexcept {
  fiber_record& me = *running_;
  running_ = &to;
  sanitizer_leave(me, to);
  left_ = &me;
  switch_stack(me.context, to.context);
  sanitizer_enter(me, *left_);
}

void scheduler::do_more(fiber_record& me) noexcept {
  while (visit_ != nullptr) {
    *std::exchange(visit_, nullptr) = take_call_stack();
    visit(*left_);  // back; returns when this fiber's turn has come, or the next visit
  }
  if (watch_ != nullptr) watch_->change(me.in);
}

call_stack scheduler::calls_of(fiber_record& f) noexcept {
  constexpr std::ptrdiff_t room = 8 * 1024;  // that an unwinder may need
  if (&f == running_) return take_call_stack();
  call_stack calls;
  if (f.state != fiber_record::state_t::waiting) return calls;
  if (f.lowest != nullptr && static_cast<std::byte*>(f.context) - f.lowest < room) return calls;
  visit_ = &calls;
  has_more_to_do_ = true;
  visit(f);
  has_more_to_do_ = watch_ != nullptr;
  return calls;
}

[[gnu::always_inline]] inline fiber_record& scheduler::next() {
  if (--until_loop_ != 0 && !ready_.empty()) [[likely]]
    return *ready_.pop();
  return to_loop();
}

void scheduler::note_switch(fiber_record& me, const fiber_record& to) noexcept {
  if (watch_ != nullptr) me.in = watch_->change(component::thread_mgmt);
  if (trace_ != nullptr) trace_->change_fiber(&me, &to, &to == loop_);
}

void scheduler::suspend(const char* what, wait_object on) {
  refuse_in_parallel_region(what);
  before_wait(what);
  fiber_record& to = next();
  running_->waits_for = what;
  running_->waits_on = on;
  running_->state = fiber_record::state_t::waiting;
  switch_to(to);
}

fiber_record& scheduler::make_loop() {
  fiber_record& f = make([](fiber_record&) {
    const loop_work& work = current->fibers->work_;
    work.run(work.argument);
  });
  f.turn = 0;
  f.detached = true;
  return f;
}

fiber_record& scheduler::to_loop() {
  until_loop_ = switches_a_loop;
  if (loop_ == nullptr) [[unlikely]]
    loop_ = &make_loop();
  return *loop_;
}

void scheduler::renew_loop(const char* what) {
  fiber_record* fresh = nullptr;
  if (in_loop()) {
    fresh = &make_loop();
    if (!work_.detach(work_.argument)) pool_.give_back(*std::exchange(fresh, nullptr));
  }
  if (fresh == nullptr)
    throw_usage(what,
                "what runs inside the taking in of messages may not wait: a handler of an active message, the function of a "
                "future::then; answer with a one-way call, or let a fiber wait (spawn)");
  running_->own_depth = self_.body_depth;
  loop_ = fresh;
  ++counted_;
}

void scheduler::yield(const char* what) {
  refuse_in_parallel_region(what);
  before_wait(what);
  if (ready_.empty()) until_loop_ = 1;  // no other fiber: let messages come in
  fiber_record& to = next();
  running_->waits_for = nullptr;
  running_->state = fiber_record::state_t::ready;
  ready_.push(*running_);
  switch_to(to);
}

void scheduler::start_now(fiber_record& f) {
  start(f);
  if (self_.body_depth != running_->own_depth || in_loop() || in_region()) return;
  ready_.remove(f);
  running_->waits_for = nullptr;
  running_->state = fiber_record::state_t::ready;
  ready_.push_front(*running_);
  switch_to(f);
}

void scheduler::run_ready() {
  fiber_record* const f = ready_.pop();
  if (f == nullptr) return;
  until_loop_ = switches_a_loop;
  running_->state = fiber_record::state_t::waiting;
  switch_to(*f);
}

fiber_record& scheduler::make(void (*work)(fiber_record&)) {
  if (pool_.too_many()) [[unlikely]]
    pool_.trim(count_.fibers_made);
  fiber_record& f = pool_.take();
  if (f.context == nullptr && fibers_refused_) [[unlikely]]
    refuse(f);
  ++count_.fibers_made;
  f.work = work;
  f.own_depth = f.body_depth = f.fiber_depth = 0;
  f.exceptions = {};
  f.in = component::cpu;
  f.counted = f.detached = f.ended = f.gathers = false;
  f.on_wait = nullptr;
  f.error = nullptr;
  f.joiner = nullptr;
  f.waits_for = nullptr;
  f.turn = running_->turn;
  // One that ran before stands in run_fiber, behind its end, and goes on from there.
  if (f.context != nullptr) return f;
  f.context = new_stack(f.lowest + f.stack_bytes, f.stack_bytes, &enter);
  if (f.number == many_fibers) tell_many();
  return f;
}

// What a fiber has been lies on its record until it is used again.
void scheduler::tell_many() {
  std::uint32_t bodies = 0;
  for (const fiber_record* f = pool_.known(); f != nullptr; f = f->next_known)
    if (f->own_depth != 0 && f->state == fiber_record::state_t::waiting) ++bodies;
  if (many_bodies_ != nullptr && bodies > many_fibers / 2) many_bodies_(self_, bodies);
}

void scheduler::refuse(fiber_record& fresh) {
  pool_.give_back(fresh);
  throw_usage("spawn",
              "a safe body runs on the progress thread of its rank, where no fibers run; return what the caller needs, or leave "
              "out safe()");
}

void scheduler::join(fiber_record& f) {
  if (f.ended) return;
  struct forgetter {
    fiber_record& f;
    ~forgetter() { f.joiner = nullptr; }
  } at_end{f};
  f.joiner = running_;
  do {
    suspend("join", wait_object::of<explain_join>(f));
    if (!f.ended) rethrow_in_main();
  } while (!f.ended);
}

// Leaves the stack for good, or until it is taken from the pool again.
[[gnu::always_inline]] inline void scheduler::end_running() noexcept {
  fiber_record& me = *running_;
  me.state = fiber_record::state_t::idle;
  me.ended = true;
  if (me.counted || me.own_depth != 0)
    --counted_;
  else
    --alive_;
  if (!me.guarded) [[unlikely]]
    end_if_overflowed(self_, me);
  if (me.joiner != nullptr) wake(*std::exchange(me.joiner, nullptr));
  if (me.detached) pool_.give_back(me);
  switch_to(next());
}

void scheduler::enter_child(void (*end)()) noexcept {
  fiber_record& last = make(nullptr);
  last.context = new_stack(last.lowest + last.stack_bytes, last.stack_bytes, end);
  ready_ = {};
  loop_ = &last;
  until_loop_ = 1;  // it comes before all that may still be woken
}

void scheduler::run_fiber() noexcept {
  fiber_record& me = *running_;
  sanitizer_enter(me, *left_);
  for (;;) {
    if (observed_ && trace_ != nullptr) [[unlikely]]
      trace_->begin(trace_kind::fiber, running_ == loop_ ? "takes in messages" : "fiber");
    try {
      me.work(me);
    } catch (...) {
      if (me.detached)
        lose_error(std::current_exception());
      else
        me.error = std::current_exception();
    }
    if (observed_ && trace_ != nullptr) [[unlikely]]
      trace_->end();
    end_running();
  }
}

void scheduler::set_timer(fiber_record& f, std::uint64_t deadline_ns) {
  timers_.push_back({deadline_ns, &f});
  ++f.timers;
  std::push_heap(timers_.begin(), timers_.end(), later<timer, timer>);
}

void scheduler::forget_timer(fiber_record& f) noexcept {
  if (f.timers == 0) return;  // it was woken by its timer
  --f.timers;
  const auto mine = std::find_if(timers_.begin(), timers_.end(), [&](const timer& t) { return t.who == &f; });
  *mine = timers_.back();
  timers_.pop_back();
  std::make_heap(timers_.begin(), timers_.end(), later<timer, timer>);
}

std::uint64_t scheduler::timer_of(const fiber_record& f) const noexcept {
  std::uint64_t first = 0;
  for (const timer& t : timers_)
    if (t.who == &f && (first == 0 || t.at < first)) first = t.at;
  return first;
}

std::uint64_t scheduler::run_timers() {
  if (timers_.empty()) return 0;
  const std::uint64_t now = now_ns();
  while (!timers_.empty() && timers_.front().at <= now) {
    fiber_record* const f = timers_.front().who;
    std::pop_heap(timers_.begin(), timers_.end(), later<timer, timer>);
    timers_.pop_back();
    --f->timers;
    wake(*f);
  }
  return timers_.empty() ? 0 : timers_.front().at;
}

void scheduler::lose_error(std::exception_ptr why) noexcept {
  if (lost_error_ != nullptr) lost_error_(self_, std::move(why));
}

void scheduler::lose_errors_of_ended() noexcept {
  for (fiber_record* f = pool_.known(); f != nullptr; f = f->next_known)
    if (f->ended && f->error != nullptr) lose_error(std::exchange(f->error, nullptr));
}

void scheduler::fail_main(std::exception_ptr why) noexcept {
  if (main_.error == nullptr) main_.error = std::move(why);
  wake(main_);
}

}  // namespace armilla::detail
