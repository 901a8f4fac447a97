// SPDX-License-Identifier: Apache-2.0
// What members may not do in algorithms, and which algorithm errors name.
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

constexpr const char* inside = "members meet inside of a function that an algorithm calls";

/// f() is refused where members would meet; on one rank nothing keeps it from running.
template <class F>
void expect_refused(F f) {
  if (am::ranks() == 1) return;
  EXPECT_THROWS_SAYING(am::remote_error, inside, f());
  am::barrier();
}

}  // namespace

RANK_TEST(an_algorithm_in_a_function_of_another_is_an_error_on_all) {
  am::vector<int> x(10'000, 1), y(10'000), other(10'000);
  const auto sorts = [&other](int e) { return am::sort(other), e > 0; };
  const auto sums = [&other](int e) { return am::reduce(other) + e > 0; };
  expect_refused([&] { am::for_each(x, sorts); });
  expect_refused([&] { am::transform(x, y, sums); });
  expect_refused([&] { am::copy_if(x, y, sorts); });
  expect_refused([&] { am::unique_copy(x, y, [&](int a, int b) { return sorts(a) && a == b; }); });
  expect_refused([&] { am::count_if(x, sums); });
  expect_refused([&] { am::sort(x, [&](int a, int b) { return sums(a) && a < b; }); });
  expect_refused([&] { am::nth_element(x, 5000, [&](int a, int b) { return sorts(a) && a < b; }); });
  expect_refused([&] { am::set_union(x, x, y, [&](int a, int b) { return sums(a) && a < b; }); });
  expect_refused([&] { am::inclusive_scan(x, y, [&](int a, int b) { return am::nth_element(other, 5), a + b; }); });
  expect_refused([&] { am::count_by_key(x, sums); });
  EXPECT_EQ(am::count(x, 1), 10'000U);
}

RANK_TEST(errors_name_the_algorithm_that_was_called_and_not_its_steps) {
  am::vector<int> x(1000, 1), y(1000);
  const auto thrower = [](int, int) -> int { throw std::domain_error("no"); };
  EXPECT_THROWS_SAYING(am::remote_error, "adjacent_difference", am::adjacent_difference(x, y, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "argsort", am::argsort(x, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "partial_sort_copy", am::partial_sort_copy(x, y, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "inplace_merge", am::inplace_merge(x, 500, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "sort", am::sort(x, thrower));
}

RANK_TEST(members_of_a_checked_program_that_call_different_algorithms_are_told_both) {
  if (!am::detail::checked || am::ranks() == 1) return;
  am::vector<int> x(10'000), y(10'000);
  const auto differ = [&] { am::rank() == 0 ? am::sort(x, std::greater<>{}) : am::fill(x, 1); };
  for (int round = 0; round < 20; ++round) {  // the others may have left their algorithm when a rank finds the mismatch
    EXPECT_THROWS_SAYING(am::usage_error, "in sort", differ());
    am::barrier();
    EXPECT_THROWS_SAYING(am::usage_error, "in fill", differ());
    am::barrier();
  }
}

RANK_TEST(graph_algorithms_of_different_roots_are_told) {
  if (am::ranks() == 1) return;
  const std::vector<am::weighted_edge<double>> edges{{0, 1, 1.0}, {1, 2, 1.0}};
  const am::graph<void, double> g(3, am::rank() == 0 ? edges : std::vector<am::weighted_edge<double>>(), {.undirected = true});
  const auto root = am::rank() == 0 ? 0U : 1U;
  const std::vector<am::vertex_id> sources{root};
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::bfs(g, root));
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::dfs(g, root));
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::sssp(g, root));
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::betweenness(g, sources));
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::label_propagation(g, int(root) + 1));
  EXPECT_THROWS_SAYING(am::usage_error, "all members must give the same", am::pagerank(g, {.rounds = int(root)}));
  EXPECT_EQ(am::everything(am::bfs(g, 0)), (std::vector<std::int32_t>{0, 1, 2}));
  am::barrier();
}
