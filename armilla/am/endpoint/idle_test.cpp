// SPDX-License-Identifier: Apache-2.0
// What ranks cost that have nothing to do, and how they are woken. Over a network with a descriptor they sleep at it; beside
// others they nap.
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using namespace std::chrono_literals;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

bool naps() {
  const char* const fabric = std::getenv("ARMILLA_FABRIC");
  return fabric != nullptr && std::string_view(fabric) == "mpi";
}

bool own_process() {
  const char* const fabric = std::getenv("ARMILLA_FABRIC");
  return fabric == nullptr || std::string_view(fabric) != "threads";
}

RANK_TEST(a_rank_that_waits_for_long_sleeps) {
  am::barrier();
  const auto before = am::stats();
  const double began = cpu_seconds();
  if (am::rank() == 0) std::this_thread::sleep_for(500ms);
  am::barrier();
  if (am::rank() != 0) {
    if (!naps()) EXPECT_LE((am::stats() - before).sleeps, 100U);
    if (own_process()) EXPECT_LE(cpu_seconds() - began, 0.1);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) EXPECT_EQ(sigismember(&blocked, number), 0);
  }
  am::barrier();
}

RANK_TEST(whatever_comes_wakes_a_rank_that_sleeps) {
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  std::vector<std::chrono::nanoseconds> took;
  for (int i = 0; i < 7; ++i) {
    am::barrier();
    if (am::rank() != 0) continue;
    std::this_thread::sleep_for(250ms);  // by then the others look by themselves every 80 ms
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(am::call(next, [](int n) { return n + 1; }, i).get(), i + 1);
    took.push_back(std::chrono::steady_clock::now() - began);
  }
  std::sort(took.begin(), took.end());
  if (am::rank() == 0) EXPECT(took[took.size() / 2] < 30ms);
  am::barrier();
}

am::per_rank<int> turns;

RANK_TEST(all_are_woken_in_turn) {
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  *turns = 0;
  am::barrier();
  struct pass {
    static void on(int left) {
      ++*turns;
      if (left > 0) am::async((am::rank() + 1) % am::ranks(), on, left - 1);
    }
  };
  if (am::rank() == 0) am::async(next, pass::on, 499);
  am::fence();
  EXPECT_EQ(am::world().all_reduce(*turns, std::plus<>{}), 500);
}

am::detail::control_block& own_block() {
  const am::detail::context& self = *am::detail::current;
  return control_of(self.host->job(), self.rank);
}

/// Messages of a rank to itself, one after the other, so that none of its looks finds nothing. The first asks what the rank waits
/// for, and the first that sees the answer is the last.
struct self_flood {
  bool asked = false, answered = false;
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + 2s;
};
am::per_rank<self_flood> flood;

void flood_on() {
  self_flood& mine = *flood;
  if (!mine.asked) am::detail::ask(own_block());
  mine.answered = std::exchange(mine.asked, true) && has_answered(own_block());
  if (!mine.answered && std::chrono::steady_clock::now() < mine.until) am::async(am::rank(), &flood_on);
}

/// Outside of the library until rank 0 has said what it waits for. Over a network that is not to be seen: for a while.
void sleep_until_answered(std::uint32_t asked_before) {
  if (am::detail::current->host->far[0]) return std::this_thread::sleep_for(200ms);
  const am::detail::control_block& first = control_of(am::detail::current->host->job(), 0);
  for (int i = 0; i < 5000 && (first.asked == asked_before || !has_answered(first)); ++i) std::this_thread::sleep_for(1ms);
}

/// What rank 0 says that it waits for in `wait()`, while rank 1 sleeps and then comes to the barrier.
template <class F>
std::string said_while_flooded(F&& wait) {
  const bool sees = !am::detail::current->host->far[0];
  const std::uint32_t asked_before = sees ? control_of(am::detail::current->host->job(), 0).asked.load() : 0;
  am::barrier();
  *flood = {};
  if (am::rank() == 1) sleep_until_answered(asked_before);
  if (am::rank() == 0) {
    am::async(0, &flood_on);
    wait();
    EXPECT((*flood).answered);
  } else {
    am::barrier();
  }
  const am::detail::control_block& mine = own_block();
  return am::rank() == 0 ? std::string(mine.text, mine.text_bytes) : std::string();
}

RANK_TEST(a_rank_that_is_flooded_while_it_waits_tells_what_it_waits_for) {
  const std::string said = said_while_flooded([] { am::barrier(); });
  if (am::rank() == 0) EXPECT(said.find("barrier") != said.npos);
  am::fence();
}

RANK_TEST(a_rank_that_is_flooded_while_it_waits_for_credit_tells_so) {
  if (am::detail::current->host->beyond != nullptr) return;  // a network takes more
  const std::string said = said_while_flooded([] {
    for (int i = 0; i < 50'000; ++i) am::async(1, [](int) {}, i);
    am::flush();
    am::barrier();
  });
  if (am::rank() == 0) EXPECT(said.find("credit: rank 1 does not take in") != said.npos);
  am::fence();
}

}  // namespace
