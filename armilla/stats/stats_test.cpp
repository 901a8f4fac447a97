// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/stats/counter_table.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/stats/start_statistics.hpp"

namespace armilla::detail {
namespace {

/// A rank with nothing but statistics, and two methods.
class alone : public testing::Test {
 protected:
  void start(const char* asked) {
    settings.stats = asked;
    self.settings = &settings;
    start_stats(self, *how);
    begin_stats(self);
    stats_of(self).count_methods([] { return std::vector<std::uint32_t>{16, 0}; },
                                 [](std::uint32_t m) -> const std::string& {
                                   static const std::string names[] = {"one", "two"};
                                   return names[m];
                                 });
    set_current(&self);
  }
  void TearDown() override {
    set_current(nullptr);
    if (self.count != nullptr) stop_stats(self);
  }
  method_counts& methods() { return *stats_of(self).methods; }

  options settings;
  context self;
  const launch* how = reinterpret_cast<const launch*>(this);  // of a higher layer, and not looked at
};

const method_statistics& only(const std::vector<method_statistics>& all) {
  EXPECT_EQ(all.size(), 1);
  return all[0];
}

TEST(stats_request, nothing_is_asked_for_by_default) {
  EXPECT_FALSE(parse_stats("").any());
  EXPECT_FALSE(parse_stats("0").any());
}

TEST(stats_request, a_file_replaces_printing) {
  const stats_request r = parse_stats("out.json");
  EXPECT_EQ(r.file, "out.json");
  EXPECT_FALSE(r.print);
  EXPECT_FALSE(r.timing);
}

TEST(stats_request, words_combine) {
  EXPECT_TRUE(parse_stats("timing").print);
  const stats_request r = parse_stats("timing,a/b.json");
  EXPECT_TRUE(r.timing);
  EXPECT_FALSE(r.print);
  EXPECT_EQ(r.file, "a/b.json");
  EXPECT_TRUE(parse_stats("1,x.json").print);
}

TEST(stats_request, a_file_that_cannot_be_written_is_an_error_that_says_why) {
  try {
    require_writable("ARMILLA_STATS", "/no such folder/x.json");
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("'/no such folder/x.json': No such file or directory; name a file"), std::string::npos)
        << e.what();
  }
}

TEST(stats_request, a_file_of_an_earlier_job_stays_until_there_is_a_new_one) {
  const std::string name = testing::TempDir() + "armilla_stats_test.json";
  std::FILE* f = std::fopen(name.c_str(), "w");
  std::fputs("before", f);
  std::fclose(f);
  require_writable("ARMILLA_STATS", name);
  f = std::fopen(name.c_str(), "r");
  EXPECT_EQ(std::fgetc(f), 'b');
  std::fclose(f);
  std::remove(name.c_str());
}

TEST(counter_table, is_in_the_order_of_the_members) {
  const counters c;
  const auto* first = reinterpret_cast<const std::uint64_t*>(&c);
  for (const counter_row& row : counter_table()) EXPECT_EQ(&(c.*row.member), first++) << row.name;
}

TEST(size_buckets, are_powers_of_two) {
  EXPECT_EQ(size_bucket(0), 0);
  EXPECT_EQ(size_bucket(8), 3);
  EXPECT_EQ(size_bucket(15), 3);
  EXPECT_EQ(size_bucket(16), 4);
  EXPECT_EQ(size_bucket(1 << 20), 20);
  EXPECT_EQ(size_bucket(std::uint64_t{1} << 40), 31);
}

TEST(stopwatch, counts_each_tick_once) {
  const std::uint64_t begin = ticks();
  stopwatch watch;
  {
    const timed runtime(&watch, component::runtime);
    { const timed body(&watch, component::cpu); }
    { const timed wait(&watch, component::net); }
  }
  watch.change(component::cpu);
  const std::uint64_t end = ticks();
  std::uint64_t sum = 0;
  for (unsigned c = 0; c < components; ++c) sum += watch.spent(component(c));
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, end - begin);
  EXPECT_GT(watch.spent(component::runtime), 0);
  EXPECT_GT(watch.spent(component::net), 0);
  EXPECT_EQ(watch.spent(component::thread_mgmt), 0);
  EXPECT_EQ(watch.borders(), 7);
}

TEST(stopwatch, comes_back_to_the_outer_component) {
  stopwatch watch;
  {
    const timed runtime(&watch, component::runtime);
    { const timed wait(&watch, component::net); }
    EXPECT_EQ(watch.now_in(), component::runtime);
  }
  EXPECT_EQ(watch.now_in(), component::cpu);
}

TEST(stopwatch, null_is_no_scope) { const timed nothing(nullptr, component::net); }

TEST(stopwatch, a_border_costs_something) {
  EXPECT_GT(seconds_per_border(), 0);
  EXPECT_LT(seconds_per_border(), 1e-3);
}

TEST_F(alone, a_snapshot_holds_the_counters) {
  start("");
  self.count->one_way_calls_sent = 7;
  const statistics s = stats();
  EXPECT_EQ(s.one_way_calls_sent, 7);
  EXPECT_EQ(s.frames_sent, 0);
  EXPECT_GE(s.seconds, 0);
  EXPECT_EQ(s.time.sum(), 0);
  EXPECT_TRUE(s.methods.empty());
}

TEST_F(alone, locks_are_taken_from_the_programs_own_time) {
  start("timing");
  while (stats().time.cpu < 2e-5) {}
  stats_of(self).seconds_per_lock = 1e-9;
  self.count->locks = 10'000;
  const statistics now = stats();
  EXPECT_NEAR(now.time.thread_synchronisation, 1e-5, 1e-9);
  EXPECT_NEAR(now.time.sum(), now.seconds, 0.5 * now.seconds);
  self.count->locks = 1'000'000'000;
  EXPECT_EQ(stats().time.cpu, 0);
}

TEST_F(alone, outside_a_session_there_is_none) { EXPECT_THROW(stats(), usage_error); }

TEST_F(alone, the_difference_is_what_happened_between) {
  start("1");
  methods().run(0, 64);
  const statistics before = stats();
  self.count->polls += 3;
  methods().run(0, 32);
  const statistics between = stats() - before;
  EXPECT_EQ(between.polls, 3);
  EXPECT_EQ(only(between.methods).name, "one");
  EXPECT_EQ(only(between.methods).messages, 2);
  EXPECT_EQ(only(between.methods).bytes, 32);
  EXPECT_EQ(only(between.methods).sizes[4], 2);
}

TEST_F(alone, a_method_without_new_messages_is_not_in_the_difference) {
  start("1");
  methods().run(0, 64);
  const statistics before = stats();
  EXPECT_TRUE((stats() - before).methods.empty());
}

TEST_F(alone, messages_of_one_size_are_counted_by_the_run) {
  start("1");
  methods().run(0, 160);
  const std::vector<method_statistics> all = stats().methods;
  EXPECT_EQ(only(all).runs, 1);
  EXPECT_EQ(only(all).messages, 10);
  EXPECT_EQ(only(all).sizes[4], 10);
}

TEST_F(alone, messages_that_differ_count_themselves) {
  start("1");
  methods().run(1, 1000);
  methods().message(1, 200);
  methods().message(1, 800);
  const std::vector<method_statistics> all = stats().methods;
  EXPECT_EQ(only(all).runs, 1);
  EXPECT_EQ(only(all).messages, 2);
  EXPECT_EQ(only(all).bytes, 1000);
  EXPECT_EQ(only(all).sizes[7], 1);
  EXPECT_EQ(only(all).sizes[9], 1);
}

TEST_F(alone, sums_merge_methods_by_name) {
  statistics a, b;
  a.frames_sent = 1, b.frames_sent = 2;
  a.time.net = 0.5, b.time.net = 0.25;
  a.methods = {{"b", 1, 1, 8, {}}};
  b.methods = {{"a", 1, 2, 16, {}}, {"b", 1, 3, 24, {}}};
  const statistics sum = a + b;
  EXPECT_EQ(sum.frames_sent, 3);
  EXPECT_EQ(sum.time.net, 0.75);
  ASSERT_EQ(sum.methods.size(), 2);
  EXPECT_EQ(sum.methods[0].name, "a");
  EXPECT_EQ(sum.methods[1].messages, 4);
}

TEST_F(alone, phases_of_one_name_add_up) {
  start("1");
  for (int i = 0; i < 3; ++i) {
    phase p("force");
    self.count->polls += 2;
  }
  self.count->polls += 100;
  ASSERT_EQ(phases().size(), 1);
  EXPECT_EQ(phases()[0].name, "force");
  EXPECT_EQ(phases()[0].times, 3);
  EXPECT_EQ(phases()[0].what.polls, 6);
}

TEST_F(alone, an_outer_phase_includes_the_inner) {
  start("1");
  {
    phase outer("step");
    ++self.count->polls;
    phase inner("exchange");
    ++self.count->polls;
  }
  ASSERT_EQ(phases().size(), 2);
  EXPECT_EQ(phases()[0].what.polls, 2);
  EXPECT_EQ(phases()[1].what.polls, 1);
}

TEST_F(alone, a_phase_inside_itself_counts_once) {
  start("1");
  {
    phase outer("deep");
    phase inner("deep");
    ++self.count->polls;
  }
  ASSERT_EQ(phases().size(), 1);
  EXPECT_EQ(phases()[0].times, 1);
  EXPECT_EQ(phases()[0].what.polls, 1);
}

TEST_F(alone, nobody_asked_no_phases) {
  start("");
  { phase p("force"); }
  EXPECT_TRUE(phases().empty());
}

TEST_F(alone, times_add_up_to_the_clock) {
  start("timing");
  {
    const timed wait(stats_of(self).watch.get(), component::net);
    const std::uint64_t end = now_ns() + 1'000'000;
    while (now_ns() < end) continue;
  }
  const statistics s = stats();
  EXPECT_GT(s.time.net, 0.0009);
  EXPECT_GT(s.time.cpu, 0);
  EXPECT_EQ(s.time.thread_management, 0);
  EXPECT_LE(s.time.sum(), 1.2 * s.seconds);
  EXPECT_GT(s.borders, 0);
}

}  // namespace
}  // namespace armilla::detail
