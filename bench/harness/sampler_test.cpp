// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/sampler.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "bench/harness/report.hpp"

namespace bench {
namespace {

spec some_row() {
  return {.name = "some", .suite = "micro", .row = "some", .baselines = {{worker_kind::hand, "other", 0.5}}, .limit_x = 1.5};
}

round round_of(double value, double yardstick, double other) {
  return {{value, yardstick, yardstick}, {{other, yardstick, yardstick}}};
}

TEST(spread_of, takes_the_middle_of_an_even_number) {
  const spread s = spread_of({4, 1, 3, 2});
  EXPECT_EQ(s.median, 2.5);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.runs, 4);
}

TEST(sample, is_thrown_away_when_its_yardsticks_differ) {
  EXPECT_TRUE((sample{1, 100, 114}).steady());
  EXPECT_FALSE((sample{1, 100, 116}).steady());
}

TEST(sample, is_thrown_away_when_somebody_had_the_core) { EXPECT_FALSE((sample{1, 100, 100, false}).steady()); }

TEST(round, is_thrown_away_when_the_state_changed_between_row_and_baseline) {
  EXPECT_FALSE((round{{1, 100, 100}, {{1, 500, 500}}}).steady());
}

TEST(round, needs_no_line_of_a_row_that_has_none) {
  EXPECT_TRUE((round{{1, 0, 0}, {{1, 500, 500}}}).steady());
  EXPECT_FALSE((round{{1, 0, 0}, {{1, 100, 100}, {1, 500, 500}}}).steady());
}

TEST(result, is_judged_by_the_greatest_value_by_the_least) {
  const spec row{.name = "some", .suite = "micro", .row = "some", .limit_spread = 2};
  result r(&row, 2, "shm");
  for (const double value : {110.0, 100.0, 190.0}) r.rounds.push_back(round_of(value, 100, 300));
  ASSERT_EQ(judge(r).size(), 1u);
  EXPECT_DOUBLE_EQ(judge(r)[0].got, 1.9);
  EXPECT_TRUE(judge(r)[0].passed());
  r.rounds.push_back(round_of(201, 100, 300));
  EXPECT_FALSE(judge(r)[0].passed());
}

TEST(result, shows_the_fast_state_first_and_judges_it) {
  const spec row = some_row();
  result r(&row, 2, "shm");
  for (int i = 0; i < 6; ++i) r.rounds.push_back(round_of(140, 100, 300));
  for (int i = 0; i < 20; ++i) r.rounds.push_back(round_of(600, 500, 1000));
  EXPECT_EQ(r.shown(), state::fast);
  EXPECT_DOUBLE_EQ(r.x_yardstick(state::fast).median, 1.4);
  EXPECT_DOUBLE_EQ(r.x_yardstick(state::other).median, 1.2);
  ASSERT_EQ(judge(r).size(), 2u);
  EXPECT_TRUE(judge(r)[0].passed());
  EXPECT_FALSE(judge(r)[1].passed());  // 0.6 of the baseline where 0.5 was wanted
}

TEST(result, does_not_judge_the_other_state_by_the_raw_line) {
  const spec row = some_row();
  result r(&row, 2, "shm");
  for (int i = 0; i < 6; ++i) r.rounds.push_back(round_of(600, 500, 1000));
  EXPECT_FALSE(judge(r)[0].counts);
  EXPECT_TRUE(judge(r)[1].counts);
}

TEST(write_json, names_the_promised_members) {
  const spec row = some_row();
  std::vector<result> all{{&row, 2, "shm"}};
  all[0].rounds.push_back(round_of(140, 100, 300));
  std::ostringstream out;
  write_json(out, all);
  for (const char* key : {"name", "ranks", "fabric", "unit", "median", "min", "max", "runs", "yardstick_ns", "x_yardstick",
                          "baseline", "baseline_median", "ratio"})
    EXPECT_NE(out.str().find('"' + std::string(key) + '"'), std::string::npos) << key;
}

}  // namespace
}  // namespace bench
