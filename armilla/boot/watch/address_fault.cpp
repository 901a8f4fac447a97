// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/address_fault.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace armilla::detail {
namespace {

using kind = fault_note::kind;

constexpr std::uintptr_t null_bytes = 64 * 1024;  // below: the system maps nothing there
constexpr std::uintptr_t below_stack = 64 * 1024;
constexpr std::uintptr_t largest_frame = 64 << 20;
constexpr std::uint32_t most_ranks_asked = 64;

std::uintptr_t stack_pointer_of(const void* machine) noexcept {
  [[maybe_unused]] const auto& registers = static_cast<const ucontext_t*>(machine)->uc_mcontext;
#if defined(__x86_64__)
  return std::uintptr_t(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return registers.sp;
#else
  return 0;
#endif
}

// The kernel reads the set before it checks the first argument, so an unreadable address gives EFAULT, and no access of ours can
// fail.
bool is_readable(std::uintptr_t address) noexcept {
  const std::uintptr_t aligned = address & ~std::uintptr_t(7);
  return syscall(SYS_rt_sigprocmask, ~0, reinterpret_cast<void*>(aligned), nullptr, 8) != 0 && errno == EINVAL;
}

// A call or a push uses the word below the stack pointer. A function with a large frame moves the pointer first, out of the
// stack.
bool is_overflow(std::uintptr_t address, std::uintptr_t sp) noexcept {
  if (sp == 0) return false;
  if (address < sp) return sp - address <= below_stack;
  return address - sp < largest_frame && !is_readable(sp);
}

/// Finds an address in lines of /proc/PID/maps, which begin "from-to rwxp".
class map_search {
 public:
  explicit map_search(std::uintptr_t wanted) noexcept : wanted_(wanted) {}
  bool found() const noexcept { return found_; }

  void take(char c) noexcept {
    if (c == '\n')
      at_ = field::from, first_ = last_ = 0;
    else if (at_ == field::from)
      c == '-' ? void(at_ = field::to) : add(first_, c);
    else if (at_ == field::to)
      c == ' ' ? void(at_ = field::rights) : add(last_, c);
    else if (at_ == field::rights)
      found_ = found_ || (c == 'r' && first_ <= wanted_ && wanted_ < last_), at_ = field::rest;
  }

 private:
  enum class field { from, to, rights, rest };
  static void add(std::uintptr_t& number, char c) noexcept {
    number = number * 16 + std::uintptr_t(c <= '9' ? c - '0' : c - 'a' + 10);
  }

  std::uintptr_t wanted_, first_ = 0, last_ = 0;
  field at_ = field::from;
  bool found_ = false;
};

bool is_mapped_in(pid_t process, std::uintptr_t address) noexcept {
  char path[32] = "/proc/";
  char digits[12];
  int n = 0;
  for (auto rest = std::uint32_t(process); rest != 0; rest /= 10) digits[n++] = char('0' + rest % 10);
  char* const end = std::reverse_copy(digits, digits + n, path + std::strlen(path));
  std::memcpy(end, "/maps", sizeof "/maps");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  map_search search(address);
  char some[4096];
  for (ssize_t got; !search.found() && (got = read(file, some, sizeof some)) > 0;)
    std::for_each_n(some, got, [&](char c) { search.take(c); });
  close(file);
  return search.found();
}

rank_t owner_of(const job_block& job, std::uintptr_t address) noexcept {
  for (std::uint32_t i = 0; i < std::min(job.locals.count, most_ranks_asked); ++i) {
    const rank_t r = job.locals.at(local_rank{i});
    const pid_t process = job.rank[r].pid.load(std::memory_order_relaxed);
    if (process > 0 && process != getpid() && is_mapped_in(process, address)) return r;
  }
  return -1;
}

fault_note* first_note(job_block& job) noexcept {
  std::byte* const end = reinterpret_cast<std::byte*>(&job) + host_layout::job_bytes;
  return reinterpret_cast<fault_note*>(end) - most_local_ranks;
}

}  // namespace

fault_note& fault_note_of(job_block& job, rank_t rank) noexcept { return first_note(job)[std::uint32_t(job.locals.of(rank))]; }

// In front of the notes.
bool is_first_crash(job_block& job) noexcept {
  return first_note(job)[-1].what.exchange(kind::unknown, std::memory_order_relaxed) == kind::none;
}

void note_fault(job_block& job, rank_t rank, const siginfo_t& info, const void* machine) noexcept {
  note_fault(job, rank, info, stack_pointer_of(machine));
}

void note_fault(job_block& job, rank_t rank, const siginfo_t& info, std::uintptr_t stack_pointer) noexcept {
  if (!job.locals.holds(rank) || info.si_signo != SIGSEGV) return;
  if (info.si_code == SI_KERNEL) return fault_note_of(job, rank).what.store(kind::no_address, std::memory_order_release);
  if (info.si_code != SEGV_MAPERR && info.si_code != SEGV_ACCERR) return;
  const int before = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  fault_note& note = fault_note_of(job, rank);
  kind what = kind::unknown;
  if (address < null_bytes)
    what = kind::null;
  else if (is_overflow(address, stack_pointer))
    what = kind::stack;
  else if (info.si_code == SEGV_MAPERR && job.threads == 0 && (note.owner = owner_of(job, address)) >= 0)
    what = kind::of_other_rank;
  note.address = address;
  note.what.store(what, std::memory_order_release);
  errno = before;
}

void note_ended_container(job_block& job, rank_t rank) noexcept {
  if (job.locals.holds(rank)) fault_note_of(job, rank).what.store(kind::of_ended_container, std::memory_order_release);
}

std::string text_of_fault(job_block& job, rank_t rank) {
  const fault_note& note = fault_note_of(job, rank);
  switch (note.what.load(std::memory_order_acquire)) {
    case kind::null: return fmt::format("\n  by a null dereference: it used address {:#x}", note.address);
    case kind::stack:
      return "\n  by a stack overflow: keep large arrays and deep recursion off the stack, or raise its limit (ulimit -s; "
             "for fibers ARMILLA_STACK)";
    case kind::of_other_rank:
      return fmt::format(
          "\n  it used address {:#x}, which is memory of rank {} and not of rank {}: perhaps a lambda captured a pointer or a "
          "reference; send the value or a global_ptr. The checked library finds this (debugging in the guide)",
          note.address, note.owner, rank);
    case kind::of_ended_container:
      return fmt::format(
          "\n  it used address {:#x}, which was memory of a container until it was destroyed or its elements moved (resize, "
          "growth, redistribute): call local() again where the elements are used",
          note.address);
    case kind::no_address:
      return "\n  by a pointer whose value cannot be an address: it was read from an object that has been destroyed or "
             "overwritten (does a view or a reference outlive it?), or it is not aligned for its type";
    case kind::unknown: return fmt::format("\n  it used address {:#x}, where it may not", note.address);
    case kind::none: break;
  }
  return "";
}

}  // namespace armilla::detail
