// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/arena.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <system_error>
#include <utility>

namespace bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

int arena::create() {
  const int descriptor = ::memfd_create("armilla-bench", MFD_CLOEXEC);
  if (descriptor < 0) fail("memfd_create");
  if (::ftruncate(descriptor, bytes) != 0) fail("ftruncate of the arena");
  return descriptor;
}

arena arena::attach(int descriptor) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (at == MAP_FAILED) fail("mmap of the arena");
  arena result;
  result.base_ = static_cast<std::byte*>(at);
  return result;
}

arena& arena::operator=(arena&& other) noexcept {
  std::swap(base_, other.base_);
  return *this;
}

arena::~arena() {
  if (base_ != nullptr) ::munmap(base_, bytes);
}

void meet(arena_head& head, int ranks, bool sleeping) {
  const std::uint32_t generation = head.generation.load(std::memory_order_acquire);
  if (head.arrived.word.fetch_add(1, std::memory_order_acq_rel) + 1 == std::uint64_t(ranks)) {
    head.arrived.word.store(0, std::memory_order_relaxed);
    head.generation.store(generation + 1, std::memory_order_release);
    futex(head.generation, FUTEX_WAKE, INT_MAX);
    return;
  }
  sleeping = sleeping || ranks > cores();
  while (head.generation.load(std::memory_order_acquire) == generation) {
    if (sleeping) futex(head.generation, FUTEX_WAIT, generation);
  }
}

int cores() {
  static const int count = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  return count;
}

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core % cores(), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

void yield_core() { ::sched_yield(); }

std::uint64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::uint64_t(t.tv_sec) * 1'000'000'000U + std::uint64_t(t.tv_nsec);
}

}  // namespace bench
