// SPDX-License-Identifier: Apache-2.0
// How messages are taken in while the rank computes: by its attendant, or by interrupting it.
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "armilla/am/endpoint.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"

namespace armilla::detail {

// ---- the attendant: a thread with an endpoint of its own, which reads lane 1 and writes lane 2 ----

void endpoint::attend(const std::atomic<bool>& stop, std::atomic<std::uint64_t>* attended) {
  attends_ = attended;
  event_count::backoff backoff;
  while (!stop.load(std::memory_order_acquire)) {
    bool any = false;
    for (inbound& in : inbound_) {
      if (!to_read(in)) continue;
      receive<taker::loop>(in);  // a body that waits is refused: this thread's scheduler has no loop
      flush();
      // release: what the bodies have done; pairs with the acquire in processed_from
      attended[in.source].store(in.reader.position(), std::memory_order_release);
      if (detail::notify(host_.control(self_.rank))) ++count_.wakes_sent;  // it may wait for what was written
      any = true;
    }
    if (far_ != nullptr) any |= attend_network();
    if (!any) look_for_losses();
    if (spilled_channels_ != 0) {
      drain();
      sched_yield();  // on the rank's own core, which has to go on as well
      continue;
    }
    if (any) {
      backoff = {};
      continue;
    }
    event_count_.note_look(backoff);
    event_count_.prepare_wait();
    if (stop.load(std::memory_order_acquire) || anything_to_do())
      event_count_.cancel_wait();
    else if (far_ != nullptr)
      rest_beside_network(backoff);
    else
      event_count_.sleep(backoff, 0, true);
  }
}

// ---- the interrupted rank ----

namespace {

constexpr int most_turns = 256;  // of other fibers in one interrupt

void on_attention(int) {
  const int saved = errno;
  if (current != nullptr && current->messages != nullptr) current->messages->interrupted();
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

void endpoint::begin_interruptible() {
  if (self_.settings->reception != reception_kind::signal) return;
  static const bool installed = install();
  if (!installed)
    throw_usage("interruptible", "the system refuses a handler for its signal; use ARMILLA_RECEPTION=thread or poll");
  control_block& mine = host_.control(self_.rank);
  mine.process.store(getpid(), std::memory_order_relaxed);
  mine.thread.store(std::int32_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  flush();
  if (interruptible_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  mask_attention(SIG_BLOCK);  // as around the handler
  interrupted();
  mask_attention(SIG_UNBLOCK);
}

void endpoint::end_interruptible() noexcept {
  if (self_.settings->reception != reception_kind::signal) return;
  if (interruptible_.fetch_sub(1, std::memory_order_relaxed) == 1)
    event_count_.cancel_wait();  // a signal that is under way finds nothing to do
}

// Takes in what there is and asks to be interrupted again; as before a sleep, the last look comes after the announcement. A
// signal that comes while this runs finds `interruptible_` at 0 and leaves the work to it.
//
// How deep interrupts nest: the signal is blocked here but while other fibers may run, which may want to be interrupted on their
// own stacks. On this stack it is blocked from before the announcement until the kernel has taken the handler's frame away, so
// the next interrupt begins where this one began. A stack holds one working handler and at most one that finds 0.
void endpoint::interrupted() noexcept {
  const std::uint32_t depth = interruptible_.load(std::memory_order_relaxed);
  if (depth == 0 || in_body()) return;  // a body lets nobody in: its scope does nothing
  bool failed = false;
  do {
    interruptible_.store(0, std::memory_order_relaxed);
    event_count_.cancel_wait();
    mask_attention(SIG_UNBLOCK);
    try {
      poll();
      // What has become ready by that runs, too, and what that makes ready: else it would stand still until the next interrupt.
      // But a fiber that yields for ever is always ready.
      for (int turns = 0; turns < most_turns && (left_ || self_.fibers->anyone_ready()); ++turns) poll();
      flush();
    } catch (...) {  // nothing can be thrown out of an interrupted computation: the rank's next wait throws it
      failed = true;
      self_.fibers->fail_main(std::current_exception());
    }
    mask_attention(SIG_BLOCK);
    interruptible_.store(depth, std::memory_order_relaxed);
    event_count_.prepare_wait(attention::interruptible);
  } while (!failed && anything_has_come());
}

}  // namespace armilla::detail
