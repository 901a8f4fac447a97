// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/overflow.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/forked.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t handler_stack_bytes = 64 * 1024;
constexpr int signals[] = {SIGSEGV, SIGBUS};

// The kernel knows one handler a process and signal; this is what stood there before.
struct sigaction before[NSIG];

void say_overflow(const context& rank, const fiber_record& fiber) noexcept {
  char text[256];
  const int n =
      std::snprintf(text, sizeof text,
                    "armilla: rank %d: fiber %u: its stack of %zu bytes has overflowed; raise ARMILLA_STACK, or keep large "
                    "arrays and deep recursion off the stacks of fibers and bodies\n",
                    int(rank.rank), fiber.number, fiber.stack_bytes);
  if (n > 0) static_cast<void>(!write(STDERR_FILENO, text, std::size_t(n)));
}

// By kill, raise and their like: what it says of an address is none, and no access will repeat it.
bool was_sent(const siginfo_t& info) noexcept { return info.si_code <= 0; }

void on_fault(int number, siginfo_t* info, void* machine) {
  const bool sent = was_sent(*info);
  if (!sent && is_forked_child() && is_kept_from_child(info->si_addr)) end_lost_child();
  if (!sent && current != nullptr && current->fibers != nullptr) {
    const fiber_record& fiber = current->fibers->running();
    if (stack_pool::in_guard(fiber, info->si_addr)) say_overflow(*current, fiber);
  }
  const struct sigaction& old = before[number];
  if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(number, info, machine);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(number);
  if (sent && old.sa_handler == SIG_IGN) return;
  signal(number, SIG_DFL);  // returning repeats the access: the process ends where it went wrong
  if (sent) raise(number);  // blocked until this handler returns
}

bool install() {
  for (const int number : signals) {
    struct sigaction mine{};
    mine.sa_sigaction = on_fault;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(number, &mine, &before[number]);
  }
  return true;
}

// Given back when the thread ends.
struct handler_stack {
  std::unique_ptr<std::byte[]> bytes;
  handler_stack() {
    stack_t old{};
    if (sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
    bytes = std::make_unique<std::byte[]>(handler_stack_bytes);
    stack_t mine{};
    mine.ss_sp = bytes.get();
    mine.ss_size = handler_stack_bytes;
    sigaltstack(&mine, nullptr);
  }
  ~handler_stack() {
    if (bytes == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
};

}  // namespace

void end_if_overflowed(const context& rank, const fiber_record& ended) noexcept {
  if (!stack_pool::overflowed(ended)) return;
  say_overflow(rank, ended);
  raise(SIGSEGV);
}

void watch_for_overflow() {
  static const bool installed = install();
  static thread_local handler_stack stack;
  static_cast<void>(installed);
  static_cast<void>(stack);
}

}  // namespace armilla::detail
