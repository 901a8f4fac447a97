// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/pin.hpp"

#include <sched.h>

#include <thread>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {
namespace {

machine two_cores() {
  machine m;
  m.cores = {{0, 4}, {1, 5}};
  m.processors = 4;
  return m;
}

TEST(pin, cores_in_turn) {
  const auto all = places_to_run(two_cores(), 3, pin_kind::share);
  EXPECT_EQ(all, (std::vector<place>{{0, 4}, {1, 5}, {0, 4}}));
}

TEST(pin, none_binds_nobody) { EXPECT_EQ(places_to_run(two_cores(), 2, pin_kind::none), (std::vector<place>{{}, {}})); }

TEST(pin, this_machine_has_cores) {
  const machine here = look_at_machine(true);
  EXPECT_GE(here.cores.size(), 1u);
  EXPECT_GE(here.processors, 1u);
}

TEST(pin, a_core_each_while_there_are_enough_and_else_in_turn) {
  EXPECT_EQ(places_to_run(two_cores(), 2, pin_kind::core), (std::vector<place>{{0, 4}, {1, 5}}));
  EXPECT_EQ(places_to_run(two_cores(), 3, pin_kind::core), places_to_run(two_cores(), 3, pin_kind::share));
}

std::vector<int> processors_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  return all;
}

TEST(pin, binds_the_calling_thread_alone) {
  const std::vector<int> before = processors_of_this_thread();
  const auto last = std::int16_t(before.back());
  std::vector<int> bound;
  std::thread([&] {
    bind_here({last, -1, -1, -1});
    bound = processors_of_this_thread();
  }).join();
  EXPECT_EQ(bound, std::vector<int>{last});
  EXPECT_EQ(processors_of_this_thread(), before);
}

TEST(pin, an_empty_place_and_one_that_is_refused_change_nothing) {
  const std::vector<int> before = processors_of_this_thread();
  for (const std::int16_t cpu : {std::int16_t(-1), std::int16_t(1023)}) {
    std::vector<int> bound;
    std::thread([&] {
      bind_here({cpu, -1, -1, -1});
      bound = processors_of_this_thread();
    }).join();
    EXPECT_EQ(bound, before) << cpu;
  }
}

}  // namespace
}  // namespace armilla::detail
