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
#include <vector>

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

/// Host 0 of a job is a heartbeat, each other one a socket.
class circle {
 public:
  static constexpr std::uint64_t timeout_ns = 800'000'000;
  explicit circle(std::uint32_t hosts) : job(make_job(hosts)) {
    std::vector<heartbeat::host> all{{on_this_machine(*first_), {0}, "h0"}};
    for (std::uint32_t h = 1; h < hosts; ++h) {
      const int made = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
      sockaddr_in place{};
      place.sin_family = AF_INET;
      place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof place;
      EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&place), size), 0);
      getsockname(made, reinterpret_cast<sockaddr*>(&place), &size);
      heartbeat_listener listener{};
      listener.address[0] = place.sin_addr.s_addr;
      listener.port = place.sin_port;
      listener.word[0] = static_cast<unsigned char>(h);
      sockets_.push_back(made);
      all.push_back({listener, {armilla::rank_t(h)}, "h" + std::to_string(h)});
    }
    heartbeat::start(first_, job, std::move(all), 0, timeout_ns);
  }
  ~circle() {
    first_->watch_no_more();
    for (const int one : sockets_) close(one);
  }
  circle(const circle&) = delete;

  void say(std::uint32_t from, beat::word what = beat::word::here, std::uint32_t about = 0) {
    beat one{.from = from, .what = what, .about = about};
    std::ranges::copy(first_->listener().word, one.word_of_receiver);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = first_->listener().port;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sendto(sockets_[from - 1], &one, sizeof one, 0, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  /// Whether host 0 has said that to this one, of late.
  bool has_said(std::uint32_t to, beat::word what, std::uint32_t about) {
    bool found = false;
    for (beat one; recv(sockets_[to - 1], &one, sizeof one, 0) == ssize_t(sizeof one);) {
      EXPECT_EQ(one.word_of_receiver[0], to);
      found = found || (one.what == what && one.about == about);
    }
    return found;
  }
  std::vector<std::uint32_t> beaten() {
    for (std::uint32_t h = 1; h <= sockets_.size(); ++h) has_said(h, beat::word::here, 0);
    std::this_thread::sleep_for(200ms);
    std::vector<std::uint32_t> found;
    for (std::uint32_t h = 1; h <= sockets_.size(); ++h)
      if (has_said(h, beat::word::here, 0)) found.push_back(h);
    return found;
  }
  /// For so long these hosts beat, and `also` is done each time.
  void live(std::chrono::milliseconds how_long, const std::vector<std::uint32_t>& hosts, auto&& also) {
    for (const auto until = std::chrono::steady_clock::now() + how_long; std::chrono::steady_clock::now() < until;) {
      for (const std::uint32_t h : hosts) say(h);
      also();
      std::this_thread::sleep_for(20ms);
    }
  }
  void live(std::chrono::milliseconds how_long, const std::vector<std::uint32_t>& hosts) {
    live(how_long, hosts, [] {});
  }

  job_block& job;

 private:
  std::shared_ptr<heartbeat> first_ = std::make_shared<heartbeat>();
  std::vector<int> sockets_;
};

TEST(heartbeat, goes_to_the_four_hosts_behind_that_are_in_the_job) {
  circle hosts(9);
  EXPECT_EQ(hosts.beaten(), (std::vector<std::uint32_t>{1, 2, 3, 4}));
  tell_loss(hosts.job, 2, 2, "was killed", "h2");
  EXPECT_TRUE(comes_true([&] { return hosts.beaten() == std::vector<std::uint32_t>{1, 3, 4, 5}; }));
}

TEST(heartbeat, a_host_that_one_other_does_not_hear_is_not_lost) {
  circle hosts(4);
  hosts.live(100ms, {1, 2, 3});
  bool asked = false;
  hosts.live(2400ms, {2, 3}, [&] { asked = hosts.has_said(2, beat::word::silent, 1) || asked; });
  EXPECT_TRUE(asked) << "host 2, which watches host 1, too";
  EXPECT_EQ(hosts.job.epoch.load(), 0u);
}

TEST(heartbeat, a_host_that_two_others_do_not_hear_is_lost_and_all_are_told) {
  circle hosts(4);
  hosts.live(100ms, {1, 2, 3});
  hosts.live(2400ms, {2, 3}, [&] { hosts.say(2, beat::word::silent, 1); });
  ASSERT_NE(hosts.job.why_left(1), nullptr);
  EXPECT_STREQ(hosts.job.why_left(1)->host, "h1");
  EXPECT_EQ(hosts.job.epoch.load(), 1u);
  EXPECT_TRUE(hosts.has_said(3, beat::word::lost, 1));
}

TEST(heartbeat, who_is_asked_says_so_if_it_does_not_hear_a_host_either) {
  circle hosts(4);
  hosts.live(100ms, {1, 2, 3});
  hosts.say(2, beat::word::silent, 1);
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(hosts.has_said(2, beat::word::silent, 1)) << "it has heard it of late";
  hosts.live(450ms, {2, 3});  // with that more than half of the time-out, and less than all of it
  hosts.say(2, beat::word::silent, 1);
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(hosts.has_said(2, beat::word::silent, 1));
}

TEST(heartbeat, what_others_have_agreed_on_is_heard) {
  circle hosts(9);
  hosts.live(100ms, {5, 6, 7, 8});
  hosts.say(5, beat::word::lost, 3);  // which this one does not watch
  hosts.say(5, beat::word::lost, 0);
  hosts.say(5, beat::word::lost, 99);
  ASSERT_TRUE(comes_true([&] { return hosts.job.why_left(3) != nullptr; }));
  EXPECT_EQ(hosts.job.epoch.load(), 1u);
}

TEST(heartbeat, a_host_that_hears_no_other_is_cut_off) {
  circle hosts(9);
  hosts.live(100ms, {5, 6, 7, 8});
  ASSERT_TRUE(comes_true([&] { return hosts.job.epoch.load() == 8; }));
  EXPECT_EQ(hosts.job.why_left(0), nullptr);
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
  const beat guess{.from = 1};
  for (const std::size_t bytes : {sizeof guess, sizeof guess - 1, sizeof guess - 8, std::size_t{8}, std::size_t{0}})
    sendto(stranger, &guess, bytes, 0, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  close(stranger);
  std::this_thread::sleep_for(700ms);  // had it been heard, its silence would be a loss
  EXPECT_EQ(job.epoch.load(), 0u);
}

}  // namespace
