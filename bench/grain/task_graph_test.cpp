// SPDX-License-Identifier: Apache-2.0
#include "bench/grain/task_graph.hpp"

#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace bench::grain {
namespace {

using columns = std::vector<int>;

TEST(task_graph, stencil_takes_the_columns_beside_a_task) {
  const task_graph g(pattern::stencil, 8, 2);
  EXPECT_EQ(g.inputs(1, 0), (columns{0, 1}));
  EXPECT_EQ(g.inputs(1, 4), (columns{3, 4, 5}));
}

TEST(task_graph, nearest_takes_two_columns_on_each_side) {
  EXPECT_EQ(task_graph(pattern::nearest, 8, 2).inputs(9, 4), (columns{2, 3, 4, 5, 6}));
}

TEST(task_graph, spread_takes_other_columns_in_each_step) {
  const task_graph g(pattern::spread, 8, 2);
  EXPECT_EQ(g.inputs(0, 0), (columns{0, 2, 5}));
  EXPECT_EQ(g.inputs(1, 0), (columns{0, 3, 6}));
}

TEST(task_graph, fft_takes_another_bit_in_each_step) {
  const task_graph g(pattern::fft, 8, 2);
  EXPECT_EQ(g.inputs(0, 5), (columns{4, 5}));
  EXPECT_EQ(g.inputs(1, 5), (columns{5, 7}));
  EXPECT_EQ(g.inputs(2, 5), (columns{1, 5}));
}

TEST(task_graph, tree_goes_to_all_columns_and_back) {
  const task_graph g(pattern::tree, 8, 2);
  EXPECT_EQ(g.inputs(0, 4), (columns{0, 4}));
  EXPECT_EQ(g.inputs(2, 7), (columns{6, 7}));
  EXPECT_EQ(g.inputs(3, 6), (columns{6, 7}));
  EXPECT_EQ(g.inputs(5, 0), (columns{0, 4}));
  EXPECT_EQ(g.inputs(5, 4), (columns{4}));
}

TEST(task_graph, random_takes_about_half_of_the_columns) {
  const task_graph g(pattern::random, 16, 2);
  std::size_t all = 0;
  for (long step = 0; step < 8; ++step)
    for (int column = 0; column < 16; ++column) all += g.inputs(step, column).size();
  EXPECT_GT(all, 8 * 16 * 6U);
  EXPECT_LT(all, 8 * 16 * 11U);
}

TEST(task_graph, sends_each_value_once_to_each_rank_that_needs_it) {
  const task_graph g(pattern::nearest, 8, 2);
  ASSERT_EQ(g.sent(3, 0).size(), 1U);
  EXPECT_EQ(g.sent(3, 0)[0].rank, 1);
  EXPECT_EQ(g.sent(3, 0)[0].columns, (columns{2, 3}));
  EXPECT_EQ(g.received(4, 1)[0].columns, (columns{2, 3}));
  EXPECT_EQ(g.sent_columns(3, 0), (columns{2, 3}));
  EXPECT_EQ(g.own_columns(3, 0), (columns{0, 1}));
  EXPECT_EQ(g.reading_ranks(3, 2), (columns{1}));
}

/// All tasks of a step depend on all tasks as many steps before as are stored.
TEST(task_graph, stores_as_many_steps_as_columns_may_be_apart) {
  for (const pattern kind : {pattern::stencil, pattern::nearest, pattern::spread, pattern::fft, pattern::tree, pattern::random}) {
    const task_graph g(kind, 8, 2);
    for (long step = 100; step < 164; ++step) {
      std::set<int> before{3};
      for (int back = 0; back + 1 < g.steps_stored(); ++back) {
        std::set<int> all;
        for (const int column : before) all.insert(g.inputs(step - back, column).begin(), g.inputs(step - back, column).end());
        before.swap(all);
      }
      EXPECT_EQ(before.size(), 8U) << "pattern " << int(kind) << ", step " << step;
    }
  }
}

TEST(task_graph, values_of_two_ranks_are_on_different_cache_lines) {
  const task_graph g(pattern::stencil, 4, 2);
  EXPECT_EQ(g.place(0, 1), 1U);
  EXPECT_EQ(g.place(0, 2), 4U);
  EXPECT_EQ(g.place(1, 0), 8U);
  EXPECT_EQ(g.place(g.steps_stored(), 0), 0U);
}

TEST(task_graph, refuses_columns_that_ranks_cannot_share) { EXPECT_THROW(task_graph(pattern::fft, 5, 2), std::invalid_argument); }

}  // namespace
}  // namespace bench::grain
