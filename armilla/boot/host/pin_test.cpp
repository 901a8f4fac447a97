// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/pin.hpp"

#include <sched.h>

#include <thread>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {
namespace {

machine four_cores() {
  machine m;
  m.cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  m.processors = 8;
  return m;
}

machine two_cores() {
  machine m;
  m.cores = {{0, 4}, {1, 5}};
  m.processors = 4;
  return m;
}

using cores = std::vector<std::size_t>;

TEST(pin, each_rank_has_its_own_cores_if_there_are_enough) {
  for (const pin_kind how : {pin_kind::automatic, pin_kind::core, pin_kind::share})
    EXPECT_EQ(places_to_run(four_cores(), {1, 1}, {1, 3}, how), (std::vector<place>{{1, 5}, {3, 7}}));
  EXPECT_EQ(places_to_run(four_cores(), {2, 1, 1}, {0, 1, 2, 3}, pin_kind::automatic),
            (std::vector<place>{{0, 1, 4, 5}, {2, 6}, {3, 7}}));
}

TEST(pin, cores_are_assigned_round_robin_if_no_other_job_has_any) {
  EXPECT_EQ(places_to_run(two_cores(), {1, 1, 1}, {0, 1}, pin_kind::automatic), (std::vector<place>{{0, 4}, {1, 5}, {0, 4}}));
  EXPECT_EQ(places_to_run(two_cores(), {1, 1, 1}, {1}, pin_kind::automatic), std::vector<place>(3));
  EXPECT_EQ(places_to_run(four_cores(), {1, 1, 1}, {1, 3}, pin_kind::automatic), std::vector<place>(3));
  EXPECT_EQ(places_to_run(four_cores(), {3, 3}, {0, 1, 2, 3}, pin_kind::automatic), std::vector<place>(2));
}

TEST(pin, on_request_all_cores_are_assigned_round_robin_free_ones_first) {
  for (const pin_kind how : {pin_kind::core, pin_kind::share})
    EXPECT_EQ(places_to_run(two_cores(), {1, 1, 1}, {1}, how), (std::vector<place>{{1, 5}, {0, 4}, {1, 5}}));
  EXPECT_EQ(places_to_run(two_cores(), {9}, {}, pin_kind::core), (std::vector<place>{{0, 1, 4, 5}}));
}

TEST(pin, none_binds_no_rank_and_a_single_rank_is_bound_on_request_only) {
  EXPECT_EQ(places_to_run(two_cores(), {1, 1}, {0, 1}, pin_kind::none), std::vector<place>(2));
  EXPECT_EQ(places_to_run(two_cores(), {1}, {0}, pin_kind::automatic), std::vector<place>(1));
  EXPECT_EQ(places_to_run(two_cores(), {1}, {0}, pin_kind::core), (std::vector<place>{{0, 4}}));
}

// Numbers that no machine has: other tests run beside this one.
TEST(pin, a_core_is_claimed_by_one_job_at_a_time) {
  const std::vector<place> all = {{90'001}, {90'002}, {90'003}};
  {
    const core_claims first(all, 2), second(all, 3);
    EXPECT_EQ(first.cores(), (cores{0, 1}));
    EXPECT_EQ(second.cores(), (cores{2}));
  }
  EXPECT_EQ(core_claims(all, 3).cores(), (cores{0, 1, 2}));
}

TEST(pin, a_job_that_is_not_bound_claims_nothing) {
  machine here;
  here.cores = {{90'011}, {90'012}};
  const core_claims other(here.cores, 1);
  const chosen_places unbound = choose_places(here, {1, 1}, pin_kind::automatic), none = choose_places(here, {1}, pin_kind::none);
  EXPECT_EQ(unbound.where, std::vector<place>(2));
  EXPECT_EQ(core_claims(here.cores, 2).cores(), (cores{1}));
  EXPECT_EQ(choose_places(here, {1, 1}, pin_kind::core).claims.cores(), (cores{1}));
}

TEST(pin, a_rank_wants_as_many_cores_as_openmp_has_threads) {
  EXPECT_EQ(cores_wanted({"A=1", "OMP_NUM_THREADS=3"}), 3u);
  EXPECT_EQ(cores_wanted({"OMP_NUM_THREADS=4,2"}), 4u);
  for (const char* const bad : {"OMP_NUM_THREADS=", "OMP_NUM_THREADS=x", "OMP_NUM_THREADS=-1", "OMP_NUM_THREADS=99999999999"})
    EXPECT_EQ(cores_wanted({bad}), 1u) << bad;
}

TEST(pin, a_record_holds_two_ranges) {
  const auto noted = [](const place& where) {
    std::int16_t cpu[4];
    note_place(where, cpu);
    const cpu_set_t set = processors_of(cpu);
    place back;
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) back.push_back(i);
    return back;
  };
  for (const place& each : {place{}, place{0}, place{3, 4, 5}, place{1, 65}, place{0, 1, 2, 64, 65, 66}})
    EXPECT_EQ(noted(each), each);
  EXPECT_EQ(noted({0, 2, 4, 6}), (place{0, 2}));
}

TEST(pin, this_machine_has_cores) {
  const machine here = look_at_machine(true);
  EXPECT_GE(here.cores.size(), 1u);
  EXPECT_GE(here.processors, 1u);
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
    bind_here({last, 1, -1, -1});
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
      bind_here({cpu, 1, -1, -1});
      bound = processors_of_this_thread();
    }).join();
    EXPECT_EQ(bound, before) << cpu;
  }
}

}  // namespace
}  // namespace armilla::detail
