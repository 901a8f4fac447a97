// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/address_fault.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::size_t page = 4096;

/// A job of two ranks: this process is rank 0.
struct struck_job {
  struck_job() {
    host_layout layout;
    layout.places = layout.locals = 2;
    bytes = layout.addresses();
    void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    job = static_cast<job_block*>(place);
    job->places = job->locals.count = 2;
    job->rank[0].pid = getpid();
  }
  ~struck_job() { munmap(job, bytes); }
  struck_job(const struck_job&) = delete;

  std::string strike(const void* address, int code, std::uintptr_t sp = 0) const {
    siginfo_t info{};
    info.si_signo = SIGSEGV;
    info.si_code = code;
    info.si_addr = const_cast<void*>(address);
    note_fault(*job, 0, info, sp);
    return text_of_fault(*job, 0);
  }

  std::size_t bytes;
  job_block* job;
};

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }
std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

TEST(address_fault, a_small_address_is_a_null_dereference) {
  EXPECT_EQ(struck_job().strike(at(0), SEGV_MAPERR), "\n  by a null dereference: it used address 0x0");
  EXPECT_EQ(struck_job().strike(at(0xffff), SEGV_MAPERR), "\n  by a null dereference: it used address 0xffff");
  EXPECT_EQ(struck_job().strike(at(0x10000), SEGV_MAPERR), "\n  it used address 0x10000, where it may not");
}

// The processor refuses it, and the kernel does not say which it was.
TEST(address_fault, what_is_no_address_comes_from_an_object_that_is_gone) {
  EXPECT_NE(struck_job().strike(at(0), SI_KERNEL).find("\n  by a pointer whose value cannot be an address"), std::string::npos);
}

TEST(address_fault, what_names_no_address_leaves_no_note) {
  EXPECT_EQ(struck_job().strike(at(0), SI_USER), "");
  EXPECT_EQ(struck_job().strike(at(0), SI_TKILL), "");
}

TEST(address_fault, just_below_the_stack_pointer_is_an_overflow) {
  const std::uintptr_t sp = std::uintptr_t(1) << 40;
  for (const int code : {SEGV_MAPERR, SEGV_ACCERR}) {
    EXPECT_NE(struck_job().strike(at(sp - 8), code, sp).find("by a stack overflow"), std::string::npos);
    EXPECT_EQ(struck_job().strike(at(sp - (1 << 20)), code, sp).find("overflow"), std::string::npos);
  }
}

TEST(address_fault, a_frame_that_lies_beyond_the_stack_is_an_overflow) {
  void* const stack = mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  const std::uintptr_t first = number(stack);
  EXPECT_NE(struck_job().strike(at(first + page), SEGV_ACCERR, first + 64).find("by a stack overflow"), std::string::npos);
  mprotect(stack, page, PROT_READ);  // the stack pointer is good: something else went wrong
  EXPECT_EQ(struck_job().strike(at(first + page), SEGV_ACCERR, first + 64).find("overflow"), std::string::npos);
  munmap(stack, 4 * page);
}

TEST(address_fault, an_address_of_another_rank_is_called_that) {
  const struck_job two;
  void* const there = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const pid_t other = fork();
  if (other == 0) {
    for (;;) pause();
  }
  two.job->rank[1].pid = other;
  EXPECT_NE(two.strike(there, SEGV_ACCERR).find("where it may not"), std::string::npos);
  munmap(there, page);
  EXPECT_NE(two.strike(there, SEGV_MAPERR).find("which is memory of rank 1 and not of rank 0"), std::string::npos);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_NE(two.strike(there, SEGV_MAPERR).find("where it may not"), std::string::npos);
}

TEST(address_fault, memory_of_a_destroyed_container_is_reported_as_such) {
  const struck_job one;
  one.strike(at(0x10000), SEGV_ACCERR);
  note_ended_container(*one.job, 0);
  EXPECT_NE(text_of_fault(*one.job, 0).find("it used address 0x10000, which was memory of a container until"), std::string::npos);
}

}  // namespace
}  // namespace armilla::detail
