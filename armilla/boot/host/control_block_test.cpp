// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/control_block.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

std::atomic<int> signals_seen;
void on_signal(int) { ++signals_seen; }

/// This thread as the owner of a control block, and a handler of `signal`.
struct signalled {
  explicit signalled(int number) : signal(number), rank(std::make_unique<control_block>()) {
    rank->process = getpid();
    rank->thread = gettid();
    signals_seen = 0;
    struct sigaction mine{};
    mine.sa_handler = on_signal;
    sigaction(signal, &mine, &before);
  }
  ~signalled() { sigaction(signal, &before, nullptr); }
  signalled(const signalled&) = delete;

  int signal;
  struct sigaction before{};
  std::unique_ptr<control_block> rank;
};

TEST(control_block, an_awake_owner_gets_no_signal) {
  const signalled me(SIGRTMIN + attention_signal_offset);
  me.rank->sleeping = awake;
  wake(*me.rank);
  EXPECT_EQ(signals_seen, 0);
}

TEST(control_block, a_computing_owner_is_interrupted_once) {
  const signalled me(SIGRTMIN + attention_signal_offset);
  me.rank->sleeping = interruptible;
  wake(*me.rank);
  wake(*me.rank);
  EXPECT_EQ(signals_seen, 1);
  EXPECT_EQ(me.rank->sleeping, awake);
}

TEST(control_block, an_owner_asleep_at_a_descriptor_has_a_signal_of_its_own) {
  const signalled me(SIGRTMIN + descriptor_signal_offset);
  me.rank->sleeping = at_descriptor;
  wake(*me.rank);
  EXPECT_EQ(signals_seen, 1);
}

TEST(control_block, an_owner_asleep_in_the_kernel_is_woken) {
  const auto rank = std::make_unique<control_block>();
  rank->sleeping = asleep;
  std::thread sleeper([&] {
    while (rank->sleeping == asleep)
      syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&rank->sleeping), FUTEX_WAIT, asleep, nullptr, nullptr, 0);
  });
  wake(*rank);
  sleeper.join();
  EXPECT_EQ(rank->sleeping, awake);
}

TEST(control_block, a_request_for_a_report_wakes_the_owner) {
  const auto rank = std::make_unique<control_block>();
  rank->sleeping = asleep;
  ask(*rank);
  EXPECT_EQ(rank->asked, 1u);
  EXPECT_EQ(rank->sleeping, awake);
}

TEST(control_block, each_rank_and_its_progress_thread_have_their_own) {
  void* const at = mmap(nullptr, host_layout::control(local_rank{3}), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  auto& job = *static_cast<job_block*>(at);
  for (rank_t r = 0; r < 3; ++r) {
    control_of(job, r).asked = std::uint32_t(10 + r);
    progress_thread_of(job, r).asked = std::uint32_t(20 + r);
  }
  for (rank_t r = 0; r < 3; ++r) {
    EXPECT_EQ(control_of(job, r).asked, std::uint32_t(10 + r));
    EXPECT_EQ(progress_thread_of(job, r).asked, std::uint32_t(20 + r));
  }
  munmap(at, host_layout::control(local_rank{3}));
}

}  // namespace
}  // namespace armilla::detail
