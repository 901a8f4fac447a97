// SPDX-License-Identifier: Apache-2.0
#include "armilla/bag.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/fence.hpp"
#include "armilla/fold.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

template <class T>
T element(number n);
template <>
number element<number>(number n) {
  return n;
}
template <>
std::string element<std::string>(number n) {
  return std::string(n % 50, 'x') + std::to_string(n);
}

/// As all ranks know what each other pushes, each can keep all of it.
template <class T>
std::vector<T> pushed_by(int phase, am::rank_t r) {
  std::mt19937_64 dice(number(phase) * 1000 + number(r));
  std::vector<T> some;
  for (number n = dice() % 5 == 0 ? 500 : dice() % 40; n != 0; --n) some.push_back(element<T>(dice()));
  return some;
}

template <class T>
std::vector<T> all_sorted(const am::bag<T>& b) {
  std::vector<T> all = b.members().all_gather_v(std::vector<T>(b.local().begin(), b.local().end()));
  std::ranges::sort(all);
  return all;
}

template <class T>
void push_and_balance(const am::team& t) {
  am::bag<T> b{am::on(t)};
  std::vector<T> oracle;
  for (int phase = 0; phase < 12; ++phase) {
    for (am::rank_t m = 0; m < t.size(); ++m) {
      const std::vector<T> some = pushed_by<T>(phase, m);
      oracle.insert(oracle.end(), some.begin(), some.end());
      if (m != t.rank()) continue;
      if (phase % 2 == 0)
        b.push_range(some);
      else
        for (const T& e : some) b.push(e);
    }
    if (phase % 3 != 0) t.fence();
    if (phase % 3 != 1) b.rebalance();
    std::ranges::sort(oracle);
    EXPECT_EQ(b.size(), oracle.size());
    EXPECT(all_sorted(b) == oracle);
    if (phase % 3 != 1) EXPECT(b.local().size() - oracle.size() / std::size_t(t.size()) <= 1);
    if (phase != 8) continue;
    b.clear();
    oracle.clear();
    EXPECT(b.empty());
  }
}

}  // namespace

RANK_TEST(a_push_to_a_rank_lies_there) {
  am::bag<std::string> b;
  for (am::rank_t r = 0; r < am::ranks(); ++r) b.push(std::to_string(r), r);
  am::fence();
  EXPECT_EQ(b.local().size(), std::size_t(am::ranks()));
  for (const std::string& s : b.local()) EXPECT_EQ(s, std::to_string(am::rank()));
  EXPECT_EQ(b.size(), std::size_t(am::ranks()) * std::size_t(am::ranks()));
  for (const am::rank_t r : {am::rank_t(-1), am::ranks()}) EXPECT_THROWS(am::usage_error, b.push("", r));
}

RANK_TEST(pushes_of_all_ranks_stay_while_it_is_balanced) { push_and_balance<number>(am::world()); }
RANK_TEST(a_bag_of_texts_is_balanced_as_well) { push_and_balance<std::string>(am::world()); }
RANK_TEST(a_bag_of_a_part_of_the_ranks) { push_and_balance<number>(am::world().split(am::rank() % 2)); }

RANK_TEST(algorithms_take_a_bag) {
  am::bag<number> b;
  for (number i = 0; i < 100; ++i) b.push(number(am::rank()));
  am::fence();
  am::for_each(b, [](number& e) { e += 1; });
  const number n = number(am::ranks());
  EXPECT_EQ(am::reduce(b), 100 * n * (n + 1) / 2);
}

RANK_TEST(an_element_that_is_where_it_may_stay_does_not_move) {
  am::bag<number> b;
  for (int i = 0; i < (am::rank() == 0 ? 50 : 30); ++i) b.push(number(am::rank()));
  b.rebalance();
  const auto mine = std::size_t(std::ranges::count(b.local(), number(am::rank())));
  EXPECT_EQ(mine, std::min<std::size_t>(b.local().size(), am::rank() == 0 ? 50 : 30));
}
