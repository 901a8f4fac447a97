// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/session_state.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/core/forked.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/heartbeat.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/boot/wire_up/launched_end.hpp"
#include "armilla/boot/wire_up/new_rank.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/choice.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/session/layers.hpp"
#include "armilla/session/report.hpp"
#include "armilla/session/wait_report.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/stats/trace_merge.hpp"

// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

void enter_child(context& parent) noexcept {
  give_zeros(parent.count, sizeof *parent.count);
  parent.fibers->enter_child([] { end_lost_child(); });
  if (parent.messages != nullptr) parent.messages->enter_child();
}

// A child that comes back from the rank's function has done what it was made for.
void end_if_child(int code) noexcept {
  if (!is_forked_child()) return;
  std::fflush(stdout);
  _exit(exit_code(code));
}

void end_if_child_by_exception() {
  if (!is_forked_child()) return;
  const exception_text thrown = describe_current_exception();
  say("armilla: " + forked_child_name() + " ended by an exception: " + escaped(in_one_line(thrown, no_rank)));
  end_if_child(1);
}

// What runs beside this thread cannot be stopped, and would use what is destroyed when the rank's function has returned.
[[noreturn]] void end_at_once(int code) noexcept {
  std::fflush(nullptr);
  _exit(code);
}

void set_stage(const launch& self, rank_stage stage) { self.job->rank[self.rank].stage.store(stage, std::memory_order_release); }

// One that comes later, and is not needed any more, goes without a word.
void begin_with_the_others(const launch& self) {
  if (!self.new_rank) return meet(self, all_joined);
  if (!await_hand_overs(self)) _exit(not_needed_exit_code);
  clear_place(self);
  show_address(self);
}

// The last meetings are closed waits like any other.
void meet_at_the_end(const launch& self, meeting_point point) {
  std::atomic<std::uint64_t>& idle = control_of(*self.job, self.rank).idle;
  idle.store(now_ns() << 1 | 1, std::memory_order_release);
  set_stage(self, rank_stage::ending);
  if (self.job->goes_on != 0)
    meet_living(self, point);
  else
    meet(self, point);
  idle.store(0, std::memory_order_release);
}

}  // namespace

session_state::session_state(const launch& start) : self(start), signal_stack(self) {
  rank.rank = self.rank;
  rank.places = self.places;
  rank.world_size = self.world_size();
  rank.program = self.program;
  rank.settings = self.settings;
  rank.session = this;
  rank.count = &control_of(*self.job, self.rank).count;
  if (self.threads) bind_here(self.job->rank[self.rank].cpu);
  set_current(&rank);
  try {
    begin();
  } catch (const std::exception& why) {
    record_failure(*self.job, self.rank, failure_kind::start, 1, why.what());
    if (self.new_rank) say(why.what());  // the job goes on, and nothing else tells it
    // Others may wait for this rank, and are ended there.
    if (const std::string& file = self.settings->trace; self.job->supervisor <= 0 && !file.empty())
      remove_trace_parts(file, self.places);
    const bool quiet = stop_beside(rank);
    end_launched(self);
    if (!quiet) end_at_once(1);
    set_current(nullptr);
    throw;
  }
}

void session_state::begin() {
  begin_with_the_others(self);
  require_same_build(self);
  start_layers(rank, self);
  running_.emplace(rank, stop_beside);
  guard_forks(self.host_base, self.layout.total(), enter_child);
  start_wait_reports(rank);
  if (self.left != nullptr) self.left->announce_last_meeting();
  if (!self.new_rank)
    meet(self, all_started);
  else if (!enter_job(self))
    _exit(not_needed_exit_code);
  measure_locks(rank);
  begin_stats(rank);
  explore_orders();
  set_stage(self, rank_stage::running);
}

void session_state::explore_orders() {
  arrival_order* const order = order_of(rank);
  if (order != nullptr && order->explores() != nullptr) rank.messages->in.enter_exploration(*order->explores(), self.new_rank);
}

session_state::~session_state() {
  if (!is_forked_child() && !stop_beside(rank)) end_at_once(failed_code);
  set_current(nullptr);
}

int session_state::call_function(rank_main call, const void* function) {
  const int code = call(function);
  end_if_child(code);
  return code;
}

int session_state::run(rank_main call, const void* function, who_runs who) try {
  const std::uint64_t others = own_fibers(rank);  // which the owner of a session has started before
  tell_errors_at_once(rank, who == who_runs::first);
  if (who == who_runs::first) ++mains;
  serves = who == who_runs::first;
  if (who == who_runs::first && rank.rank != 0)
    serve();
  else if (const int code = call_function(call, function); code != 0)
    return fail(code), exit_code(code);
  if (who == who_runs::first && rank.rank == 0) tell_main_done(rank, mains);
  take_outside_calls(rank, false);  // else there might always be one more to wait for
  // One that has joined with a program of `run` ends as the others do.
  if (who == who_runs::first || (self.new_rank && self.job->kind.load(std::memory_order_acquire) == program_kind::run_main))
    await_instances(rank, others);
  final_fence(rank, others, ending_of::function);
  take_outside_calls(rank, true);
  return 0;
#ifdef __GLIBCXX__
} catch (const abi::__forced_unwind&) {  // pthread_exit, cancellation: not ours to stop; other libraries let no handler see them
  throw;
#endif
} catch (const passing&) { throw; } catch (...) {
  end_if_child_by_exception();
  fail_by_exception();
  return 1;
}

void session_state::serve() {
  while (serve_until(rank, self.job->mains_done, mains)) run_next(rank);
}

void session_state::finish() noexcept try {
  if (failed || ended || is_forked_child()) return;
  ended = true;
  take_outside_calls(rank, false);
  end_posts(rank);
  final_fence(rank, 0, ending_of::session);
  let_go(rank);
  report_stats(rank);
  report_trace(rank);
  if (arrival_order* const order = order_of(rank); order != nullptr) order->finish();
  if (self.beat != nullptr) self.beat->watch_no_more();
  meet_at_the_end(self, all_done);
  stop_wait_reports(rank);
  stop_layers(rank);
  if (self.beyond != nullptr) self.beyond->finish();
  meet_at_the_end(self, all_stopped);
  set_stage(self, rank_stage::finished);
  if (self.started != nullptr) self.started->finish();
} catch (...) {  // an error of the last calls, which the fence reports
  fail_by_exception();
}

void session_state::fail(int code) noexcept {
  failed = true;
  failed_code = exit_code(code);
  std::fflush(stdout);  // the supervisor may end this process before it gets to it
  record_failure(*self.job, self.rank, failure_kind::code, code, "");
  tell_loss(*self.job, self.rank, self.rank, "exited with code " + std::to_string(code));
  end_noted();
}

void session_state::fail(const char* why) noexcept {
  failed = true;
  std::fflush(stdout);
  record_failure(*self.job, self.rank, failure_kind::exception, 1, why);
  tell_loss(*self.job, self.rank, self.rank, "ended by an exception");
  end_noted();
}

void session_state::fail_by_exception() noexcept {
  failed = true;
  std::fflush(stdout);
  record_current_exception(*self.job, self.rank);
  tell_own_loss(*self.job, self.rank);
  record_place(*self.job, self.rank);
  if (self.job->supervisor == 0) say(report_of(account_of(from_record(*self.job)), ""));
  end_noted();
}

// A failure is noted. Where no supervisor does, this rank says so, and then saves what can be saved.
void session_state::end_noted() noexcept {
  const bool quiet = stop_beside(rank);
  if (self.left != nullptr) {  // its agent tells the others; other threads of the library may run here
    rescue_trace(rank);
    end_at_once(failed_code);
  }
  if (self.started != nullptr)
    end_launched(self, [this] { rescue_trace(rank); });
  else
    rescue_trace(rank);
  if (!quiet) end_at_once(failed_code);
}

}  // namespace armilla::detail
