// SPDX-License-Identifier: Apache-2.0
// Ranks that outnumber their cores, told in the middle of everything to sleep at once, and no longer: nothing is lost by that.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "armilla/am/endpoint/message_state.hpp"
#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using namespace std::chrono_literals;
using mode = am::detail::crowd_record::mode;

/// Before the job begins: on any machine its ranks outnumber their cores.
const bool on_two_processors = [] {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  for (int cpu = 0, left = 2; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set) && --left < 0) CPU_CLR(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}();

/// While it exists, the host's ranks are told otherwise every millisecond, by rank 0.
class change_of_mind {
 public:
  change_of_mind() {
    if (am::rank() != 0) return;
    am::detail::crowd_record& host = am::detail::current->host->job().crowd;
    turns_ = std::jthread([&host](const std::stop_token& over) {
      for (int i = 0; !over.stop_requested(); ++i) {
        host.until = i % 7 == 0 ? 0 : ~std::uint64_t(0);  // sometimes the ranks judge by themselves
        host.now = mode(i % 5);
        std::this_thread::sleep_for(1ms);
      }
      host.until = 0;
      host.now = mode::yields;
    });
  }

 private:
  std::jthread turns_;
};

am::per_rank<int> arrived;

RANK_TEST(calls_one_way_calls_and_meetings_end) {
  const change_of_mind changing;
  EXPECT(on_two_processors && am::detail::current->host->oversubscribed);
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  *arrived = 0;
  const auto before = am::stats();
  am::barrier();
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 5; ++k) EXPECT_EQ(am::call(next, [](int n) { return n + 1; }, i).get(), i + 1);
    for (int k = 0; k < 5; ++k) am::async(next, [] { ++*arrived; });
    am::fence();
    EXPECT_EQ(*arrived, 5 * (i + 1));
    EXPECT_EQ(am::world().all_reduce(am::rank(), std::plus<>{}), am::ranks() * (am::ranks() - 1) / 2);
  }
  am::barrier();
  EXPECT_GT((am::stats() - before).sleeps, 20u);  // none where a rank sleeps only behind 200 us of yields
}

am::per_rank<std::uint64_t> taken;

// More than the rings hold: senders wait for credit, which wakes no rank.
RANK_TEST(floods_of_one_way_calls_arrive) {
  const change_of_mind changing;
  const std::vector<std::uint64_t> much(512, 1);
  *taken = 0;
  am::barrier();
  for (int i = 0; i < 1000; ++i)
    am::async(
        0, [](am::view<std::uint64_t> part) { *taken += std::accumulate(part.begin(), part.end(), std::uint64_t(0)); },
        am::view<std::uint64_t>(much));
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(*taken, std::uint64_t(am::ranks()) * 512 * 1000);
  am::barrier();
}

RANK_TEST(fibers_and_timers_go_on) {
  const change_of_mind changing;
  am::barrier();
  for (int i = 0; i < 100; ++i) {
    std::vector<int> got(static_cast<std::size_t>(am::ranks()));
    am::parfor(0, am::ranks(), [&](int r) {
      am::sleep_for(200us);
      got[std::size_t(r)] = am::call(am::rank_t(r), [] { return int(am::rank()); }).get();
    });
    std::vector<int> all(got.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT(got == all);
  }
  am::barrier();
}

}  // namespace
