// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/interrupts.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {
namespace {

constexpr int most_turns = 256;  // of other fibers in one interrupt

void on_attention(int) {
  const int saved = errno;
  if (current != nullptr && current->messages != nullptr) current->messages->signals.interrupted();
  errno = saved;
}

void mask_attention(int how) noexcept {
  sigset_t attention;
  sigemptyset(&attention);
  sigaddset(&attention, SIGRTMIN + attention_signal_offset);
  pthread_sigmask(how, &attention, nullptr);
}

bool install() {
  struct sigaction mine{};
  mine.sa_handler = on_attention;
  // The signal is blocked until the handler has returned: see `interrupted`.
  sigemptyset(&mine.sa_mask);
  mine.sa_flags = SA_RESTART;
  return sigaction(SIGRTMIN + attention_signal_offset, &mine, nullptr) == 0;
}

}  // namespace

void interrupts::begin() {
  if (out_.self.settings->progress != progress_mode::signal) return;
  static const bool installed = install();
  if (!installed)
    throw_usage("interruptible", "the system refuses a handler for its signal; use ARMILLA_PROGRESS_MODE=thread or poll");
  control_block& mine = out_.host().control(out_.self.rank);
  mine.process.store(getpid(), std::memory_order_relaxed);
  mine.thread.store(std::int32_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  out_.flush();
  if (scopes_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  mask_attention(SIG_BLOCK);  // as around the handler
  interrupted();
  mask_attention(SIG_UNBLOCK);
}

void interrupts::end() noexcept {
  if (out_.self.settings->progress != progress_mode::signal) return;
  if (scopes_.fetch_sub(1, std::memory_order_relaxed) == 1)
    sleeper_.cancel_wait();  // a signal that is under way finds nothing to do
}

void interrupts::abandon() noexcept {
  scopes_.store(0, std::memory_order_relaxed);
  sleeper_.cancel_wait();
}

// Takes in all messages, then allows interrupts again; the last look follows `prepare_wait`, as before a sleep. A
// signal that comes while this runs finds `scopes_` at 0 and leaves the work to it.
//
// How deep interrupts nest: the signal is blocked here but while other fibers may run, which may want to be interrupted on their
// own stacks. On this stack it is blocked from before `prepare_wait` until the kernel has taken the handler's frame away, so
// the next interrupt begins where this one began. A stack holds one working handler and at most one that finds 0.
void interrupts::interrupted() noexcept {
  const std::uint32_t depth = scopes_.load(std::memory_order_relaxed);
  if (depth == 0 || out_.in_body()) return;  // inside a body nothing is taken in: its scope does nothing
  const shared_network* const shared = out_.host().shared;
  bool failed = false;
  do {
    scopes_.store(0, std::memory_order_relaxed);
    sleeper_.cancel_wait();
    mask_attention(SIG_UNBLOCK);
    try {
      waits_.poll();
      // What has become ready by that runs, too, and what that makes ready: else it would stand still until the next interrupt.
      // But a fiber that yields for ever is always ready.
      for (int turns = 0; turns < most_turns && (in_.has_suspended() || out_.self.fibers->anyone_ready()); ++turns) waits_.poll();
      out_.flush();
    } catch (...) {  // nothing can be thrown out of an interrupted computation: the rank's next wait throws it
      failed = true;
      out_.self.fibers->fail_main(std::current_exception());
    }
    mask_attention(SIG_BLOCK);
    scopes_.store(depth, std::memory_order_relaxed);
    sleeper_.prepare_wait(attention::interruptible);
  } while (!failed && (in_.anything_has_come() || (shared != nullptr && shared->keeps_for_rank())));
}

}  // namespace armilla::detail
