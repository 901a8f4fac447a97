// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/heartbeat.hpp"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/ring/host_layout.hpp"

namespace {

using namespace armilla::detail;
using namespace std::chrono_literals;

/// The job block and the control pages of a job of `ranks`, shared with children.
job_block& make_job(std::uint32_t ranks) {
  void* const place = mmap(nullptr, host_layout::control(local_rank(ranks)), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto& job = *static_cast<job_block*>(place);
  job.places = ranks;
  return job;
}

bool comes_true(auto&& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(10ms);
  return condition();
}

heartbeat_listener on_this_machine(const heartbeat& one) {
  heartbeat_listener listener = one.listener();
  std::ranges::fill(listener.address, 0u);
  listener.address[0] = htonl(INADDR_LOOPBACK);
  return listener;
}

// Two hosts, of which the other one is a process that can be stopped.
struct two_hosts {
  explicit two_hosts(std::uint64_t timeout_ns) : other_job(make_job(4)), job(make_job(4)) {
    const auto mine = std::make_shared<heartbeat>(), theirs = std::make_shared<heartbeat>();
    here = mine;
    listeners = {on_this_machine(*mine), on_this_machine(*theirs)};
    const std::vector<heartbeat::host> hosts{{on_this_machine(*mine), {0, 2}, "h1"}, {on_this_machine(*theirs), {1, 3}, "h2"}};
    other = fork();
    if (other == 0) {
      heartbeat::start(theirs, other_job, hosts, 1, timeout_ns);
      for (;;) pause();
    }
    heartbeat::start(mine, job, hosts, 0, timeout_ns);
  }
  ~two_hosts() {
    here->watch_no_more();
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
  }
  job_block& other_job;
  job_block& job;
  std::shared_ptr<heartbeat> here;
  std::vector<heartbeat_listener> listeners;
  pid_t other = -1;
};

// Thread sanitizer allows no threads in what a process of several threads forks, and qemu-user 7.2 fails there (tools/emulated
// names its libraries).
#if defined(__SANITIZE_THREAD__)
#define ARMILLA_NO_THREADS_BEHIND_FORK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ARMILLA_NO_THREADS_BEHIND_FORK 1
#endif
#endif
bool may_fork() {
#ifdef ARMILLA_NO_THREADS_BEHIND_FORK
  return false;
#else
  return std::getenv("QEMU_LD_PREFIX") == nullptr;
#endif
}

TEST(heartbeat, a_host_that_lives_is_not_lost) {
  if (!may_fork()) GTEST_SKIP();
  const two_hosts both(2'000'000'000);
  std::this_thread::sleep_for(3s);
  EXPECT_EQ(both.job.epoch.load(), 0u);
  EXPECT_EQ(both.other_job.epoch.load(), 0u);
}

TEST(heartbeat, a_host_that_stands_still_is_lost_with_all_its_ranks) {
  if (!may_fork()) GTEST_SKIP();
  const two_hosts both(1'000'000'000);
  std::this_thread::sleep_for(1500ms);
  kill(both.other, SIGSTOP);
  ASSERT_TRUE(comes_true([&] { return both.job.why_left(1) != nullptr && both.job.why_left(3) != nullptr; }));
  EXPECT_STREQ(both.job.why_left(3)->host, "h2");
  EXPECT_EQ(both.job.why_left(2), nullptr);
}

TEST(heartbeat, at_the_end_nobody_is_lost) {
  if (!may_fork()) GTEST_SKIP();
  const two_hosts both(200'000'000);
  std::this_thread::sleep_for(300ms);
  both.here->watch_no_more();
  kill(both.other, SIGSTOP);
  std::this_thread::sleep_for(800ms);
  EXPECT_EQ(both.job.epoch.load(), 0u);
}

TEST(heartbeat, what_a_host_knows_of_its_own_ranks_the_others_hear) {
  if (!may_fork()) GTEST_SKIP();
  const two_hosts both(2'000'000'000);
  heartbeat::pass_on(both.listeners, 0, 3, "is none of h1's");
  heartbeat::pass_on(both.listeners, 0, 77, "is nobody's");
  heartbeat::pass_on(both.listeners, 0, 2, "was killed by signal 9 (SIGKILL)");
  ASSERT_TRUE(comes_true([&] { return both.other_job.why_left(2) != nullptr; }));
  EXPECT_STREQ(both.other_job.why_left(2)->host, "h1");
  EXPECT_STREQ(both.other_job.why_left(2)->cause, "was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(both.other_job.failure.rank, 2) << "it has been said on h1";
  EXPECT_EQ(both.other_job.why_left(3), nullptr);
  EXPECT_EQ(both.job.epoch.load(), 0u);
}

TEST(heartbeat, who_does_not_know_the_word_is_not_heard) {
  job_block& job = make_job(4);
  const auto mine = std::make_shared<heartbeat>();
  heartbeat_listener silent = on_this_machine(*mine);
  silent.port = 0;
  heartbeat::start(mine, job, {{on_this_machine(*mine), {0}, "h1"}, {silent, {1}, "h2"}}, 0, 200'000'000);
  const int stranger = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = mine->listener().port;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::uint64_t guess[4] = {job_block::good_magic, 1, 0, 0};
  for (std::size_t bytes : {32, 31, 30, 28, 8, 0})
    sendto(stranger, guess, bytes, 0, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  close(stranger);
  std::this_thread::sleep_for(700ms);  // had it been heard, its silence would be a loss
  EXPECT_EQ(job.epoch.load(), 0u);
}

}  // namespace
