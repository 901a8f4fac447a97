// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/control_block.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

// Model: tests/models/order/sleep.rs
namespace armilla::detail {
namespace {

// A process belongs to one job, and the C library calls handlers without an argument.
struct answering_process {
  job_block* job = nullptr;
  rank_t rank = 0;
  pid_t pid = 0;  // a forked child is none of ours
};
constinit answering_process answering;

// The supervisor passes its SIGUSR1 on for the programs' sake; it asks by itself.
void on_report_request(int, siginfo_t* from, void*) {
  const int before = errno;
  job_block* const job = answering.job;
  if (answering.pid != getpid() || (job->supervisor > 0 && from->si_pid == job->supervisor)) return;
  if (job->supervisor > 0) {
    job->report_wanted.store(1, std::memory_order_release);
    kill(job->supervisor, SIGCHLD);  // "look at the job"
  } else {
    ask_with_lines(control_of(*job, answering.rank));
  }
  errno = before;
}

}  // namespace

void wake(control_block& sleeper) noexcept {
  // exchange: of several senders one makes the system call
  const std::uint32_t was = sleeper.sleeping.exchange(awake, std::memory_order_seq_cst);
  if (was == asleep) syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&sleeper.sleeping), FUTEX_WAKE, 1, nullptr, nullptr, 0);
  if (was == interruptible || was == at_descriptor)
    syscall(SYS_tgkill, sleeper.process.load(std::memory_order_relaxed), sleeper.thread.load(std::memory_order_relaxed),
            SIGRTMIN + (was == interruptible ? attention_signal_offset : descriptor_signal_offset));
}

void ask(control_block& rank) noexcept {
  rank.asked.fetch_add(1, std::memory_order_seq_cst);
  wake(rank);
}

void ask_with_lines(control_block& rank) noexcept {
  rank.lines_asked.fetch_add(1, std::memory_order_relaxed);
  ask(rank);
}

control_block& control_of(job_block& job, rank_t r) noexcept {
  return *reinterpret_cast<control_block*>(reinterpret_cast<std::byte*>(&job) + host_layout::control(job.locals.of(r)));
}

void answer_signals(job_block& job, rank_t rank) noexcept {
  answering = {&job, rank, getpid()};
  struct sigaction old{};
  if (sigaction(SIGUSR1, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;  // the program has its own
  struct sigaction mine{};
  mine.sa_sigaction = on_report_request;
  mine.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGUSR1, &mine, nullptr);
}

}  // namespace armilla::detail
