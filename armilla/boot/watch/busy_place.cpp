// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/busy_place.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"

namespace armilla::detail {
namespace {

constexpr int noted_within_ms = 500;  // on a crowded host a thread that computes gets a core seldom

// A process belongs to one job, and the C library calls handlers without an argument.
// Where ranks are threads, each of them writes the same.
constinit std::atomic<job_block*> noting_job = nullptr;
constinit std::atomic<pid_t> noting_process = 0;  // a forked child is not a rank

int calls_signal() noexcept { return SIGRTMIN + calls_signal_offset; }

// Addresses alone: what they are called is found by the one that asks.
void on_question(int) {
  const int before = errno;
  if (current == nullptr || noting_process.load(std::memory_order_acquire) != getpid()) return;
  control_block& mine = control_of(*noting_job.load(std::memory_order_relaxed), current->rank);
  const std::uint32_t request = mine.calls_asked.load(std::memory_order_relaxed);
  const call_stack calls = take_call_stack();
  for (std::size_t i = 0; i < control_block::calls_words; ++i)
    mine.calls[i].store(int(i) < calls.size ? calls.address[i] : 0, std::memory_order_relaxed);
  mine.calls_noted.store(request, std::memory_order_release);
  errno = before;
}

bool handle_questions() noexcept {
  struct sigaction old{}, mine{};
  if (sigaction(calls_signal(), nullptr, &old) != 0) return false;
  if (old.sa_handler == on_question) return true;
  if (old.sa_handler != SIG_DFL) return false;
  mine.sa_handler = on_question;
  mine.sa_flags = SA_RESTART | SA_ONSTACK;
  return sigaction(calls_signal(), &mine, nullptr) == 0;
}

/// A part of a file that a process has mapped.
struct mapping {
  std::uintptr_t first = 0, end = 0;
  unsigned long offset = 0, inode = 0;
  unsigned major = 0, minor = 0;

  bool holds(std::uintptr_t at) const noexcept { return first <= at && at < end; }
  bool is_of_file(const mapping& other) const noexcept {
    return inode != 0 && inode == other.inode && major == other.major && minor == other.minor;
  }
};

std::vector<mapping> mappings_of(const std::string& process) {
  std::vector<mapping> all;
  std::ifstream file("/proc/" + process + "/maps");
  for (std::string line; std::getline(file, line);) {
    mapping m;
    char rights[8];
    if (std::sscanf(line.c_str(), "%zx-%zx %7s %lx %x:%x %lu", &m.first, &m.end, rights, &m.offset, &m.major, &m.minor,
                    &m.inode) == 7)
      all.push_back(m);
  }
  return all;
}

// The same places of the same files in this process.
call_stack calls_here(const control_block& from, pid_t process) {
  const std::vector<mapping> theirs = mappings_of(std::to_string(process)), ours = mappings_of("self");
  call_stack calls;
  for (const auto& word : from.calls) {
    const std::uintptr_t at = word.load(std::memory_order_relaxed);
    const auto there = std::ranges::find_if(theirs, [at](const mapping& m) { return m.holds(at); });
    if (there == theirs.end()) continue;
    const std::uintptr_t offset = at - there->first + there->offset;
    const auto here = std::ranges::find_if(ours, [&](const mapping& m) {
      return m.is_of_file(*there) && m.offset <= offset && offset - m.offset < m.end - m.first;
    });
    if (here != ours.end()) calls.address[std::size_t(calls.size++)] = here->first + (offset - here->offset);
  }
  return calls;
}

std::string line_of(pid_t process, pid_t thread, const char* file) {
  std::ifstream of(fmt::format("/proc/{}/task/{}/{}", process, thread, file));
  std::string text;
  std::getline(of, text);
  return text;
}

bool computes(pid_t process, pid_t thread) {
  const std::string text = line_of(process, thread, "stat");
  const std::size_t name_end = text.rfind(')');
  return name_end != text.npos && text.compare(name_end, 4, ") R ") == 0;
}

// The system takes up such a wait again behind a signal's handler.
bool waits_for_lock(pid_t process, pid_t thread) {
  return line_of(process, thread, "syscall").starts_with(fmt::format("{} ", SYS_futex));
}

// The program may have taken the signal for itself since, or blocked it.
bool takes_questions(pid_t process, pid_t thread) {
  const unsigned long mine = 1UL << (calls_signal() - 1);
  unsigned long caught = 0, blocked = 0;
  std::ifstream file(fmt::format("/proc/{}/task/{}/status", process, thread));
  for (std::string line; std::getline(file, line);) {
    (void)std::sscanf(line.c_str(), "SigCgt: %lx", &caught);
    (void)std::sscanf(line.c_str(), "SigBlk: %lx", &blocked);
  }
  return (caught & mine) != 0 && (blocked & mine) == 0;
}

bool runs_this_program(pid_t process) {
  char theirs[4096], ours[4096];
  const ssize_t n = readlink(fmt::format("/proc/{}/exe", process).c_str(), theirs, sizeof theirs);
  return n > 0 && n == readlink("/proc/self/exe", ours, sizeof ours) && std::equal(theirs, theirs + n, ours);
}

}  // namespace

void note_calls_when_asked(job_block& job, rank_t rank) noexcept {
  noting_job.store(&job, std::memory_order_relaxed);
  noting_process.store(getpid(), std::memory_order_release);
  control_block& mine = control_of(job, rank);
  mine.process.store(getpid(), std::memory_order_relaxed);
  mine.thread.store(std::int32_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  mine.notes_calls.store(handle_questions() ? 1 : 0, std::memory_order_release);
}

void note_no_calls(job_block& job, rank_t rank) noexcept {
  control_of(job, rank).notes_calls.store(0, std::memory_order_release);
}

busy_rank find_busy(job_block& job, rank_t r) {
  control_block& rank = control_of(job, r);
  if (rank.notes_calls.load(std::memory_order_acquire) == 0) return {};
  const pid_t process = rank.process.load(std::memory_order_relaxed), thread = rank.thread.load(std::memory_order_relaxed);
  const bool waits = rank.idle.load(std::memory_order_relaxed) == 0 && waits_for_lock(process, thread);  // else in the library
  if (!(waits || computes(process, thread)) || !runs_this_program(process) || !takes_questions(process, thread)) return {};
  const std::uint32_t request = rank.calls_asked.fetch_add(1, std::memory_order_relaxed) + 1;
  if (syscall(SYS_tgkill, process, thread, calls_signal()) != 0) return {};
  for (int ms = 0; ms < noted_within_ms && rank.calls_noted.load(std::memory_order_acquire) != request; ++ms) usleep(1000);
  if (rank.calls_noted.load(std::memory_order_acquire) != request) return {};
  return {at_own_frame(own_frame(calls_here(rank, process))), waits};
}

}  // namespace armilla::detail
