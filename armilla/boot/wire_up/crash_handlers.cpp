// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/crash_handlers.hpp"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/watch/address_fault.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/launched_end.hpp"

namespace armilla::detail {
namespace {

// A process belongs to one job, and the C library calls handlers without an argument.
struct guarded_process {
  job_block* job = nullptr;
  pid_t pid = 0;  // a forked child is none of ours
  rank_t rank = -1;
  bool threads = false;
  std::terminate_handler before = nullptr;
  bootstrap* started = nullptr;  // of a job without supervisor of ours
};
constinit std::atomic<end_of_memory> end_of_memory_at = nullptr;
constinit guarded_process guarded;

std::atomic<int> ranks_running = 0;  // in this process
constinit context* only_rank = nullptr;
constinit running_rank::stop_function stop_only_rank = nullptr;

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = 64 * 1024;

rank_t culprit() noexcept { return current != nullptr ? current->rank : guarded.threads ? -1 : guarded.rank; }

bool ours() noexcept { return guarded.job != nullptr && guarded.pid == getpid(); }

bool all_finished() noexcept {
  const job_block& job = *guarded.job;
  for (std::uint32_t r = 0; r < job.places; ++r)
    if ((guarded.threads || rank_t(r) == guarded.rank) &&
        job.rank[r].stage.load(std::memory_order_acquire) != rank_stage::finished)
      return false;
  return true;
}

// The system keeps 8 bits of it: 256 would be success.
void keep_failing(int code) noexcept {
  if (exit_code(code) != (code & 0xff)) exit(exit_code(code));  // in a handler of exit: the remaining ones run, once
}

// Whether nothing of the library runs beside this thread any more, so that destructors of statics may run.
bool stop_all_beside() noexcept {
  if (ranks_running.load(std::memory_order_acquire) == 0) return true;
  return !guarded.threads && stop_only_rank(*only_rank);
}

[[noreturn]] void end_now(int code, std::FILE* flushed) noexcept {
  std::fflush(flushed);
  _exit(code != 0 ? exit_code(code) : 1);
}

// The others do not wait until its place is known. Behind another loss, whoever sees it end says so.
void tell_exit(rank_t rank, int code) noexcept try {
  if (guarded.job->epoch.load(std::memory_order_acquire) != 0) return;
  ending mine;
  mine.kind = ending::how::exited;
  mine.code = code;
  tell_loss(*guarded.job, rank, rank, cause_of(mine));
} catch (...) {}  // no memory: whoever sees it end tells of it

void on_early_exit(int code, void*) {
  if (!ours()) return;
  if (all_finished()) return keep_failing(code);
  const bool alone = guarded.job->supervisor == 0;
  const rank_t rank = culprit();  // before it stops
  const bool told = guarded.job->failure.stage.load(std::memory_order_acquire) != 0;
  if (!told) record_exit(*guarded.job, rank, code);
  const bool quiet = stop_all_beside();
  if (!told) {
    if (guarded.started != nullptr) std::fflush(stdout);
    if (!alone) tell_exit(rank, code);
    record_place_of_exit(*guarded.job, rank);  // for which the report waits
    end_launched(guarded.started, *guarded.job, guarded.rank);
    if (alone) say(report_of(account_of(from_record(*guarded.job)), ""));
  }
  if (!quiet) end_now(code, stdout);
  if (alone && !told && code == 0) end_now(code, nullptr);  // it was no success
  if (alone || told) keep_failing(code);
}

[[noreturn]] void on_terminate() {
  if (ours() && std::current_exception() != nullptr) {
    try {
      throw;
    } catch (...) {
      record_current_exception(*guarded.job, culprit());
      record_place(*guarded.job, culprit(), true);
    }
    end_launched(guarded.started, *guarded.job, guarded.rank);
#ifdef __GLIBCXX__
    if (guarded.before == __gnu_cxx::__verbose_terminate_handler) abort();  // the supervisor says the same, with the rank
#endif
  }
  if (guarded.before != nullptr) guarded.before();
  abort();
}

constinit volatile sig_atomic_t arisen = 0;

// The program may have blocked it.
void unblock(int number) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

// The search for its place takes too long: the signal ends the process now.
void end_search(int) {
  signal(arisen, SIG_DFL);
  unblock(arisen);
  raise(arisen);
}

// The user's function in which the signal arose. The search takes locks of the dynamic linker, and reads the program's file: that
// may hang if it is what broke.
void say_where(int number, const call_stack* ended) noexcept {
  char before[64];
  std::snprintf(before, sizeof before, "rank %d: SIG%s arose", culprit(), sigabbrev_np(number));
  arisen = number;
  signal(SIGALRM, end_search);
  unblock(SIGALRM);  // also in the copy that say_own_frame makes, which ends by it
  alarm(5);
  say_own_frame(take_call_stack(), before);
  if (ended != nullptr) {
    std::snprintf(before, sizeof before, "rank %d: the container was destroyed, or its elements moved,", culprit());
    say_own_frame(*ended, before);
  }
  alarm(0);
}

// Ranks mostly crash alike: of a job that ends with them the first says where, whatever their number. The others let it end
// first, as the report is about the rank that ended first; the end of the job takes them along.
bool speaks_for_others() noexcept {
  if (guarded.job->goes_on != 0 || is_first_crash(*guarded.job)) return true;
  constexpr int most_ms = 10'000;  // longer than that one may search
  for (int ms = 0; ms < most_ms; ++ms) usleep(1000);
  return false;
}

const call_stack* ended_container(const siginfo_t& info) noexcept {
  const end_of_memory where = end_of_memory_at.load(std::memory_order_relaxed);
  const bool access = info.si_signo == SIGSEGV && info.si_code == SEGV_ACCERR;
  return access && where != nullptr ? where(reinterpret_cast<std::uintptr_t>(info.si_addr)) : nullptr;
}

void on_fatal_signal(int number, siginfo_t* info, void* machine) {
  if (ours()) {
    note_fault(*guarded.job, culprit(), *info, machine);
    const call_stack* const ended = ended_container(*info);
    if (ended != nullptr) note_ended_container(*guarded.job, culprit());
    const bool told = guarded.job->failure.stage.load(std::memory_order_acquire) != 0;
    if (!told && (info->si_code > 0 || info->si_pid == guarded.pid) && speaks_for_others()) say_where(number, ended);
    if (guarded.threads) record_failure(*guarded.job, culprit(), failure_kind::signal, number, "");
  }
  signal(number, SIG_DFL);  // returning repeats the access: the core file is of the place itself, and has the address
  if (info->si_code <= 0 || number == SIGABRT) raise(number);  // blocked until this handler returns
}

void install(int number) {
  struct sigaction old{};
  if (sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;  // the program has its own
  struct sigaction mine{};
  mine.sa_sigaction = on_fatal_signal;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(number, &mine, nullptr);
}

}  // namespace

void install_crash_handlers(const launch& self) {
  guarded = {self.job, getpid(), self.rank, self.threads, nullptr, self.started};
  on_exit(on_early_exit, nullptr);
  if (self.job->supervisor == 0) return;  // alone: the shell or the debugger sees it best
  guarded.before = std::set_terminate(on_terminate);
  for (int number : fatal_signals) install(number);
}

void explain_faults(end_of_memory where) noexcept { end_of_memory_at.store(where, std::memory_order_relaxed); }

running_rank::running_rank(context& rank, stop_function stop) noexcept : threads_(guarded.threads) {
  if (!threads_) only_rank = &rank, stop_only_rank = stop;
  ranks_running.fetch_add(1, std::memory_order_release);
}

running_rank::~running_rank() { ranks_running.fetch_sub(1, std::memory_order_release); }

crash_stack::crash_stack(const launch& self) {
  stack_t old{};
  if (!self.threads || sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
  stack_ = malloc(stack_bytes);
  stack_t mine{};
  mine.ss_sp = stack_;
  mine.ss_size = stack_bytes;
  if (stack_ != nullptr) sigaltstack(&mine, nullptr);
}

crash_stack::~crash_stack() {
  if (stack_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  free(stack_);
}

}  // namespace armilla::detail
