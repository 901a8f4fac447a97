// SPDX-License-Identifier: Apache-2.0
// What ranks cost that have nothing to do, and how they are woken. Over a network with a descriptor they sleep at it; beside
// others they nap.
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "armilla/boot/control_block.hpp"
#include "armilla/boot/stall_detector.hpp"
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

bool asks = false, told = false, over = false;
long after_question = 0;

am::detail::control_block& own_block() {
  const am::detail::context& self = *am::detail::current;
  return control_of(self.host->job(), self.rank);
}

// The first one asks; the first that sees the answer tells rank 0 to end.
void flooded() {
  if (!asks) {
    asks = true;
    am::detail::ask(own_block());
  } else if (!told) {
    ++after_question;
    if (!has_answered(own_block())) return;
    told = true;
    am::async(0, [] { over = true; });
  }
}

RANK_TEST(a_rank_that_is_flooded_while_it_waits_tells_what_it_waits_for) {
  am::barrier();
  if (am::rank() == 0) {
    for (int i = 0; i < 300'000 && !over; ++i) {
      am::async(1, &flooded);
      if (i % 64 == 0) am::poll();
    }
  }
  am::barrier();
  if (am::rank() == 1) {
    EXPECT(told);
    EXPECT_LE(after_question, 100'000);  // eight looks take in fewer
    const am::detail::control_block& mine = own_block();
    EXPECT(std::string_view(mine.text, mine.text_bytes).find("barrier") != std::string_view::npos);
  }
  am::fence();
}

}  // namespace

RANK_TEST_MAIN()
