// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/forked.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "armilla/base/core/context.hpp"

namespace armilla::detail {
namespace {

struct range {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  bool holds(std::uintptr_t at) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return at >= first && at - first < bytes;
  }
};

// Of the process: a child begins with a copy.
struct fork_guard {
  std::atomic<bool> set = false;
  void (*enter)(context&) noexcept = nullptr;
  range memory;
  bool child = false;
  rank_t rank = -1;  // that forked; -1: a thread that is none
  range nothing;
};
constinit fork_guard guard;

void enter_child() noexcept {
  context* const parent = current;
  set_current(nullptr);
  if (parent == nullptr && guard.child) return;  // of a child
  guard.child = true;
  guard.rank = parent != nullptr ? parent->rank : -1;
  if (parent != nullptr) guard.enter(*parent);
}

}  // namespace

void guard_forks(void* memory, std::size_t bytes, void (*enter)(context& parent) noexcept) noexcept {
  if (guard.set.exchange(true)) return;
  guard.enter = enter;
  guard.memory = {static_cast<const std::byte*>(memory), bytes};
  (void)madvise(memory, bytes, MADV_DONTFORK);  // a refusal takes one of two guards
  pthread_atfork(nullptr, nullptr, [] { enter_child(); });
}

bool is_forked_child() noexcept { return guard.child; }

std::string forked_child_name() {
  return "process " + std::to_string(getpid()) + ", which " +
         (guard.rank >= 0 ? "rank " + std::to_string(guard.rank) : std::string("a process of the job")) + " has forked,";
}

void* nowhere(std::size_t bytes) noexcept {
  void* const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) end_lost_child();
  guard.nothing = {static_cast<const std::byte*>(place), bytes};
  return place;
}

void give_zeros(const void* place, std::size_t bytes) noexcept {
  const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE)), at = reinterpret_cast<std::uintptr_t>(place);
  const std::uintptr_t begin = at / page * page, end = (at + bytes + page - 1) / page * page;
  (void)mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

// The library looks for the rank's context without a test where it knows that there is one.
bool is_kept_from_child(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at < sizeof(context) || guard.memory.holds(at) || guard.nothing.holds(at);
}

void end_lost_child() noexcept {
  char line[512];
  const int n =
      std::snprintf(line, sizeof line,
                    "armilla: process %d, which rank %d has forked, is no rank: it came back from a body or a fiber, or it "
                    "reached for memory of the job, which a child does not have; let it end by _exit, or start another "
                    "program by exec\n",
                    int(getpid()), int(guard.rank));
  if (n > 0) (void)!write(STDERR_FILENO, line, std::size_t(n));
  _exit(1);
}

}  // namespace armilla::detail
