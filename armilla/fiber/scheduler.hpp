// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "armilla/base/core/context_head.hpp"
#include "armilla/fiber/fiber_record.hpp"
#include "armilla/fiber/stack_pool.hpp"
#include "armilla/stats/counters.hpp"

/// Which fiber runs on a rank's one thread.
///
/// Fibers are never preempted: one runs until it waits. Those that can go on stand in one queue. One fiber, the *loop*, stands in
/// no queue: it takes in messages whenever no other can go on, and in between after some switches. Bodies of messages run
/// on the loop's own stack, so one that does not wait costs no switch. A body that does wait keeps the stack, the loop goes on
/// with a fresh one (`renew_loop`), and when the body has ended its stack goes back to the pool.
///
/// Nothing here is shared with other threads, so there are no atomics and no locks.
namespace armilla::detail {

struct launch;
struct call_stack;

/// What the layer that takes in messages does for the scheduler.
struct loop_work {
  void (*run)(void* argument) = nullptr;  ///< the loop; returns when its fiber has become a body's and that has ended
  /// A body on the loop's stack waits: keep what the next loop needs. False: what runs there may not wait.
  bool (*detach)(void* argument) = nullptr;
  void* argument = nullptr;
};

/// Whether this thread is inside a parallel region of OpenMP, whose runtime keeps on the stack what it knows of the thread: no
/// other fiber may take its place. False in a program without OpenMP.
bool in_parallel_region() noexcept;
/// Throws the usage_error of an operation that would have to switch to another fiber there.
void refuse_in_parallel_region(const char* operation);

class trace;

class scheduler {
 public:
  scheduler(context& self, std::size_t stack_bytes, std::size_t most_kept);
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  fiber_record& running() noexcept { return *running_; }
  fiber_record& main() noexcept { return main_; }
  bool in_loop() const noexcept { return running_ == loop_; }
  const fiber_record* loop() const noexcept { return loop_; }
  bool anyone_ready() const noexcept { return !ready_.empty(); }

  /// The running fiber waits until `wake`. `what` and `on` tell reports what it waits for.
  /// Inside a body: it becomes a fiber first. Throws usage_error in a handler that may not wait, and inside a parallel region of
  /// OpenMP.
  void suspend(const char* what, wait_object on = {});
  /// What every wait begins with, also one that then does not switch: a body becomes a fiber, others may be started.
  void before_wait(const char* what) {
    if (head_.body_depth != running_->own_depth || in_loop()) [[unlikely]]
      renew_loop(what);
    if (running_->on_wait != nullptr) [[unlikely]]
      std::exchange(running_->on_wait, nullptr)(*running_);
  }
  /// What the running fiber waits for while it takes in messages itself.
  void note_wait(const char* what, wait_object on) noexcept {
    running_->waits_for = what;
    running_->waits_on = on;
  }
  /// It can go on; what `suspend` returns from. Nothing if it does not wait.
  void wake(fiber_record& f) noexcept {
    if (f.state != fiber_record::state_t::waiting) return;
    f.state = fiber_record::state_t::ready;
    ready_.push(f);
  }
  /// Lets all others run that can, and messages come in.
  void yield(const char* what);
  /// The same, and messages come in first.
  void yield_to_loop(const char* what) {
    until_loop_ = 1;
    yield(what);
  }
  /// The same for those that can go on now, and before the loop takes anything in.
  void let_run(const char* what) {
    until_loop_ = switches_a_loop;
    yield(what);
  }
  /// The loop gives way to the first that can go on, and comes back when it is the loop's turn.
  void run_ready();

  /// Takes a fiber from the pool that will run `work`; `start` makes it ready.
  fiber_record& make(void (*work)(fiber_record&));
  void start(fiber_record& f) {
    if (loop_ == nullptr) [[unlikely]]
      loop_ = &make_loop();  // here, so that the end of a fiber never takes a stack from the pool
    alive_ += !f.counted;
    f.state = fiber_record::state_t::ready;
    ready_.push(f);
  }
  /// The same, and it runs up to its first wait before the caller goes on, where the caller may give way: not in a body on the
  /// loop's stack, nor inside a parallel region of OpenMP.
  void start_now(fiber_record& f);
  /// Waits for its end. Then `release` it.
  void join(fiber_record& f);
  void release(fiber_record& f) noexcept { pool_.give_back(f); }

  /// Sleepers: `f` is woken at `deadline_ns` (of now_ns()) unless another wake is quicker. `forget` before the record goes.
  void set_timer(fiber_record& f, std::uint64_t deadline_ns);
  void forget_timer(fiber_record& f) noexcept;
  /// Wakes those whose time has come; the time of the next one, or 0.
  std::uint64_t run_timers();
  bool any_timer() const noexcept { return !timers_.empty(); }
  std::size_t timers() const noexcept { return timers_.size(); }
  /// When a timer wakes `f`; 0: none does.
  std::uint64_t timer_of(const fiber_record& f) const noexcept;

  void set_loop(loop_work work) noexcept { work_ = work; }
  /// Nothing here would run them: of the thread beside a rank.
  void refuse_fibers() noexcept { fibers_refused_ = true; }
  /// What is told of an exception of a fiber that nothing joins.
  void set_lost_error(void (*hear)(context& self, std::exception_ptr why)) noexcept { lost_error_ = hear; }
  /// What is told, once, when very many called functions wait at a time: on the stack of one that is about to.
  void set_many_bodies(void (*hear)(const context& self, std::uint32_t bodies)) noexcept { many_bodies_ = hear; }
  void lose_error(std::exception_ptr why) noexcept;
  /// The same of each fiber that has ended by an exception and that nothing has joined.
  void lose_errors_of_ended() noexcept;
  /// What ended the loop, for the rank's own code: it is thrown where main waits.
  void fail_main(std::exception_ptr why) noexcept;
  void rethrow_in_main() {
    if (main_.error != nullptr && running_ == &main_) [[unlikely]]
      std::rethrow_exception(std::exchange(main_.error, nullptr));
  }

  std::uint64_t alive() const noexcept { return alive_; }      ///< fibers of the rank's own code that have not ended
  std::uint64_t counted() const noexcept { return counted_; }  ///< fibers that bodies left behind, and bodies that wait
  void count_one() noexcept { ++counted_; }
  void uncount_one() noexcept { --counted_; }
  /// The running body has become a fiber of its own.
  bool on_body_that_waited() const noexcept { return running_->own_depth != 0; }
  /// Whether what the running fiber starts is caused by a body, so that the fence waits for it.
  bool in_body_or_its_fibers() const noexcept { return head_.body_depth != 0 || running_->counted; }

  /// The calls that the fiber is in, for reports: those of the running one, or of one that waits, which is visited for that: it
  /// runs up to its next instruction, and switches back. Empty for all others, and where a stack is almost full.
  call_stack calls_of(fiber_record& f) noexcept;

  const stack_pool& pool() const noexcept { return pool_; }
  context& self() noexcept { return self_; }

  /// In a child that the running fiber has forked: a fiber that ends or waits here goes on with `end`, which does not return.
  /// Nothing else of this rank ever runs there.
  void enter_child(void (*end)()) noexcept;

  /// For the entry of a new stack only.
  [[noreturn]] void run_fiber() noexcept;

 private:
  fiber_record& next();
  fiber_record& to_loop();
  void switch_to(fiber_record& to) noexcept;
  [[gnu::cold]] void note_switch(fiber_record& me, const fiber_record& to) noexcept;
  [[gnu::cold, gnu::noinline]] void do_more(fiber_record& me) noexcept;
  void visit(fiber_record& to) noexcept;
  void renew_loop(const char* what);
  fiber_record& make_loop();
  [[noreturn, gnu::cold]] void refuse(fiber_record& fresh);
  [[gnu::cold]] void tell_many();
  void end_running() noexcept;

  struct timer {
    std::uint64_t at;
    fiber_record* who;
  };

  static constexpr std::uint32_t switches_a_loop = 64;
  static constexpr std::uint32_t many_fibers = 50'000;

  context& self_;
  context_head& head_;  // of self_
  fiber_record* running_;
  fiber_record* left_ = nullptr;  // by the last switch
  fiber_record* loop_ = nullptr;
  fiber_queue ready_;
  std::uint32_t until_loop_ = switches_a_loop;
  exception_globals* globals_;  // of the rank's thread
  counters& count_;
  stopwatch* watch_;
  trace* trace_;
  bool observed_;  ///< by either
  bool fibers_refused_ = false;
  bool has_more_to_do_;  ///< behind a switch: for watch_, visit_
  stack_pool pool_;
  loop_work work_;
  void (*lost_error_)(context& self, std::exception_ptr why) = nullptr;
  void (*many_bodies_)(const context& self, std::uint32_t bodies) = nullptr;
  std::uint64_t alive_ = 0;
  std::uint64_t counted_ = 0;
  std::vector<timer> timers_;  // a heap, the earliest first
  fiber_record main_;
  call_stack* visit_ = nullptr;  ///< what the visited fiber fills
};

/// The calling rank's scheduler; throws usage_error that names `operation` outside a rank.
inline scheduler& scheduler_here(const char* operation) { return *head_here(operation).fibers; }

void start_fibers(context& self, const launch& how);
void stop_fibers(context& self);

}  // namespace armilla::detail
