// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/event_count.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/fabric/crowding.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/order/sleep.rs
namespace armilla::detail {
namespace {

constexpr std::uint64_t bounded_sleep_ns = 1'000'000;

bool register_for_barriers() noexcept {
  static const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return done;
}

// Of the signal that ends a sleep at a descriptor: that it came is all.
bool install_handler() noexcept {
  struct sigaction mine{};
  mine.sa_handler = [](int) {};
  mine.sa_flags = SA_RESTART;  // of what the program calls; never of the sleep
  return sigaction(SIGRTMIN + descriptor_signal_offset, &mine, nullptr) == 0;
}

// Where the system refuses that signal, or its thread's name, nothing but the network ends such a sleep.
bool signals_come() noexcept {
  static const bool allowed = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0;
  return allowed;
}

}  // namespace

// An oversubscribed rank holds the core that its peer needs: it yields after a few looks. So does one with
// ARMILLA_SPIN=0: beside a network a look may be a system call, and 400 take 50 to 150 us.
event_count::event_count(control_block& mine, counters& count, bool oversubscribed, std::uint64_t spin_ns, std::uint64_t yield_ns)
    : mine_(mine),
      count_(count),
      quick_tries_(oversubscribed || spin_ns == 0 ? 16 : 400),
      spin_ns_(oversubscribed ? 0 : spin_ns),
      yield_ns_(yield_ns),
      asymmetric_(register_for_barriers()) {}

event_count event_count::without_spinning(control_block& mine, counters& count) {
  event_count made(mine, count, true, 0, 0);
  made.quick_tries_ = 1;
  return made;
}

void event_count::note_look(backoff& s) noexcept {
  const std::uint64_t now = now_ns();
  if (s.began_ns == 0) {
    s.began_ns = now;
    mine_.waits.store(mine_.waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  mine_.looked.store(now, std::memory_order_release);
}

void event_count::answer() noexcept {
  if (reporter_.answer != nullptr) reporter_.answer(reporter_.rank);
}

event_count::step event_count::idle_slowly(backoff& s) noexcept {
  note_look(s);
  const std::uint64_t now = mine_.looked.load(std::memory_order_relaxed);
  answer_if_asked();
  if (losses_to_hear()) [[unlikely]]
    return step::again;
  const std::uint64_t waited = now - s.began_ns;
  if (waited < spin_ns_) {
    for (int i = 0; i < 4; ++i) relax();
    return step::again;
  }
  // What an attached client asks for may have to wait until its budget allows it: others shall have the core meanwhile.
  const bool crowded = crowd_ != nullptr && crowd_->sleeps_at_once(now);
  if ((waited < spin_ns_ + yield_ns_ && !crowded) || called_by_client()) {
    ++count_.yields;
    if (crowd_ != nullptr)
      crowd_->yield(now);
    else
      sched_yield();
    return step::again;
  }
  return step::sleep;
}

// With a core of its own the rank starts over, and spins. In a crowd it yields; `s` is kept, so the wait is counted once.
void event_count::stay_awake(backoff& s) noexcept {
  if (crowd_ == nullptr) {
    s = {};
    return;
  }
  ++count_.yields;
  crowd_->yield(mine_.looked.load(std::memory_order_relaxed));
}

void event_count::prepare_wait(attention how) noexcept {
  mine_.sleeping.store(how, std::memory_order_seq_cst);
  // Should it ever be refused, this sleep and all later ones are bounded.
  if (asymmetric_ && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0) asymmetric_ = false;
}

void event_count::cancel_wait() noexcept { mine_.sleeping.store(awake, std::memory_order_relaxed); }

// The name of most waits fits into two words.
void event_count::show_wait(const char* what) noexcept {
  post_text(mine_.waits_for, what == nullptr ? std::string_view() : std::string_view(what));
}

void event_count::sleep(const backoff& s, std::uint64_t deadline_ns, ended_by by, int descriptor) noexcept {
  ++count_.sleeps;
  // The side that asks counts up and then looks at `sleeping`; this rank has set that and now looks at the count. One of them
  // sees the other.
  if (reporter_.answer != nullptr &&
      mine_.asked.load(std::memory_order_seq_cst) != mine_.answered.load(std::memory_order_relaxed))
    return cancel_wait();
  if (losses_ != nullptr && losses_->load(std::memory_order_seq_cst) != losses_heard_) return cancel_wait();  // likewise
  if (watches_clients_ && mine_.called.load(std::memory_order_seq_cst) != 0) return cancel_wait();            // likewise
  if (outside_ != 0) by = ended_by::anything;
  const std::uint64_t began = naps_ != 0 ? napping_since_ : s.began_ns;
  std::uint64_t limit = asymmetric_ ? ~std::uint64_t(0) : bounded_sleep_ns;
  if ((stall_ns_ | report_ns_ | silent_ns_) != 0) limit = std::min(limit, watch_myself(began, by));
  if (deadline_ns != 0) {
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) return cancel_wait();
    limit = std::min(limit, deadline_ns - now);
  }
  if (descriptor >= 0 && !signals_come()) limit = std::min(limit, bounded_sleep_ns);
  const timespec span{time_t(limit / 1'000'000'000), long(limit % 1'000'000'000)};
  const timespec* until = limit == ~std::uint64_t(0) ? nullptr : &span;
  mine_.idle.store(began << 1 | std::uint64_t(by == ended_by::ranks), std::memory_order_release);
  if (descriptor >= 0)
    sleep_at(descriptor, until);
  else
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&mine_.sleeping), FUTEX_WAIT, asleep, until, nullptr, 0);
  mine_.idle.store(0, std::memory_order_relaxed);
  cancel_wait();
}

// A waker takes what is in `sleeping` and puts `awake` there: either it has done so, and there is no sleep, or it finds that a
// signal is needed. That signal is blocked between here and the sleep, lest it come in vain. One that comes late interrupts
// nothing.
void event_count::sleep_at(int descriptor, const timespec* until) noexcept {
  static const bool installed = install_handler();
  sigset_t wake_signal, before, others;
  sigemptyset(&wake_signal);
  sigaddset(&wake_signal, SIGRTMIN + descriptor_signal_offset);
  if (!installed || pthread_sigmask(SIG_BLOCK, &wake_signal, &before) != 0) return;
  others = before;
  sigdelset(&others, SIGRTMIN + descriptor_signal_offset);
  mine_.process.store(getpid(), std::memory_order_relaxed);
  mine_.thread.store(std::int32_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  std::uint32_t prepared = asleep;
  if (mine_.sleeping.compare_exchange_strong(prepared, at_descriptor, std::memory_order_seq_cst)) {
    pollfd what{descriptor, POLLIN, 0};
    ppoll(&what, 1, until, &others);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);  // also for the processes that this one starts
}

// How long it may sleep before something is to be said.
std::uint64_t event_count::watch_myself(std::uint64_t began_ns, ended_by by) noexcept {
  const std::uint64_t waited = now_ns() - began_ns;
  std::uint64_t limit = ~std::uint64_t(0);
  if (report_ns_ != 0 && reported_ != began_ns) {
    if (waited >= report_ns_) {
      reported_ = began_ns;
      reporter_.answer(reporter_.rank);
    } else {
      limit = report_ns_ - waited;
    }
  }
  if (by != ended_by::anything && silent_ns_ != 0) {
    if (looking_ != began_ns) looking_ = began_ns, looks_ = 0;
    if (looks_ < 2 && waited >= (looks_ + 1) * (silent_ns_ / 2)) reporter_.look_for_silent(reporter_.rank, looks_++ != 0);
    if (looks_ < 2) limit = std::min(limit, std::max((looks_ + 1) * (silent_ns_ / 2), waited + silent_ns_ / 4) - waited);
  }
  if (by == ended_by::ranks && stall_ns_ != 0) {
    if (waited < stall_ns_)
      limit = std::min(limit, stall_ns_ - waited);
    else if (!has_client(mine_))
      limit = std::min(limit, reporter_.stalled(reporter_.rank, began_ns));
    else
      limit = std::min(limit, stall_ns_);
  }
  return limit;
}

}  // namespace armilla::detail
