// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/strangers.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

[[noreturn]] void spin() {
  for (;;) asm volatile("");
}

/// As many pages as a translation unit takes; each is written, as by a parser that builds its tree.
void work_in_memory() {
  constexpr std::size_t bytes = 32 << 20, page = 4096;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  for (std::size_t at = 0; at < bytes; at += page) static_cast<volatile char*>(memory)[at] = 1;
  ::munmap(memory, bytes);
}

[[noreturn]] void compile() {
  for (;;) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      work_in_memory();
      ::_exit(0);
    }
    work_in_memory();
    if (child > 0) ::waitpid(child, nullptr, 0);
  }
}

}  // namespace

strangers::strangers(int count, stranger_kind kind) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      kind == stranger_kind::spins ? spin() : compile();
    }
    if (child > 0) children_.push_back(child);
  }
}

strangers::~strangers() {
  for (const pid_t child : children_) ::kill(child, SIGKILL);
  for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
}

}  // namespace bench
