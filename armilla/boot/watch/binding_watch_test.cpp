// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/binding_watch.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/host/units.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t period = 1000;

bool crowded(std::initializer_list<core_use> spent) { return others_use_core({spent.begin(), spent.size()}, period); }

TEST(binding, a_core_counts_as_used_by_others_if_its_rank_waited_for_it) {
  EXPECT_FALSE(crowded({{0, 0}}));
  EXPECT_FALSE(crowded({{1000, 0}}));
  EXPECT_FALSE(crowded({{900, 100}}));
  EXPECT_TRUE(crowded({{500, 500}}));
  EXPECT_TRUE(crowded({{10, 300}}));
}

TEST(binding, ranks_that_share_a_core_do_not_count_as_others) {
  EXPECT_FALSE(crowded({{500, 500}, {500, 500}}));
  EXPECT_FALSE(crowded({{300, 700}, {300, 700}, {400, 600}}));
  EXPECT_FALSE(crowded({{1000, 0}, {0, 1000}}));
  EXPECT_TRUE(crowded({{330, 670}, {330, 670}}));
  EXPECT_TRUE(crowded({{250, 750}, {250, 750}, {250, 700}}));
}

// Two threads on one processor, one of them the rank: a process of its own, as the rest of this one is not bound.
[[noreturn]] void spin_beside_another() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  const auto job = std::make_unique<job_block>();
  job->places = 1;
  job->rank[0].pid = getpid();
  note_place({first}, job->rank[0].cpu);
  binding_watch watch(*job, true), asked_for(*job, false);
  if (asked_for.patience_ms() != -1 || watch.patience_ms() <= 0) _exit(2);
  const cpu_set_t one = processors_of(job->rank[0].cpu);
  std::atomic<bool> over = false;
  std::thread looks([&] {
    const std::uint64_t until = now_ns() + 10'000 * milli;
    for (; watch.patience_ms() >= 0 && now_ns() < until; usleep(1000)) watch.look();
    over = true;
  });
  bind_here(job->rank[0].cpu);
  std::thread stranger([&] {
    while (!over) {}
  });
  while (!over) {}
  looks.join(), stranger.join();
  cpu_set_t now;
  sched_getaffinity(0, sizeof now, &now);
  _exit(watch.patience_ms() != -1                                                           ? 3
        : CPU_EQUAL(&now, &allowed) && (CPU_COUNT(&allowed) == 1 || !CPU_EQUAL(&now, &one)) ? 0
                                                                                            : 4);
}

TEST(binding, is_given_up_if_others_use_the_core) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(spin_beside_another(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace armilla::detail
