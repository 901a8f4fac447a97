// SPDX-License-Identifier: Apache-2.0
#include "armilla/collectives.hpp"

#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "armilla/error.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// With more ranks than cores a meeting may cost a turn of the scheduler: fewer of them.
int rounds(int n) { return am::ranks() <= 2 ? n : n / 8; }

struct particle {
  double x[3];
  int id;
  bool operator==(const particle&) const = default;
};
struct block {
  std::uint64_t words[40];
  bool operator==(const block&) const = default;
};

// The value that rank `r` contributes in round `round`: any rank can compute any other's.
template <class T>
T value(am::rank_t r, int round) {
  std::mt19937 random(unsigned(round * 1000 + r));
  const auto letters = [&](std::size_t most) { return std::string(random() % (most + 1), char('a' + random() % 26)); };
  if constexpr (std::is_arithmetic_v<T>) {
    return T(random() % 1000) / T(8);
  } else if constexpr (std::is_same_v<T, particle>) {
    return {{double(r), double(round), 0.5}, int(random() % 99)};
  } else if constexpr (std::is_same_v<T, block>) {
    block b;
    for (auto& w : b.words) w = random();
    return b;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return letters(round % 7 == 6 ? 200'000 : 60);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    T v(random() % (round % 5 == 4 ? 50'000 : 20));
    for (double& x : v) x = double(random());
    return v;
  } else if constexpr (std::is_same_v<T, std::pair<int, double>>) {
    return {int(random() % 100), r + 0.25};
  } else if constexpr (std::is_same_v<T, std::map<std::string, std::vector<int>>>) {
    T m;
    for (unsigned i = random() % 5; i-- > 0;) m[letters(12)] = std::vector<int>(random() % 9, int(random()));
    return m;
  } else {
    T v(random() % 30);
    for (auto& s : v) s = letters(40);
    return v;
  }
}

template <class T>
std::vector<T> values(const am::team& t, int round) {
  std::vector<T> all;
  for (am::rank_t i = 0; i < t.size(); ++i) all.push_back(value<T>(t.world_rank(i), round));
  return all;
}

template <class F>
void for_teams(F f) {
  f(am::world());
  f(am::world().split(0, -am::rank()));
  f(am::world().split(am::rank() % 2));
}

template <class T>
void moves_values(int times) {
  for_teams([&](const am::team& t) {
    for (int round = 0; round < times; ++round) {
      const auto all = values<T>(t, round);
      const T mine = all[std::size_t(t.rank())];
      const am::rank_t root = round % t.size();
      EXPECT(t.broadcast(mine, root) == all[std::size_t(root)]);
      EXPECT(t.all_gather(mine) == all);
      EXPECT(t.gather(mine, root) == (t.rank() == root ? all : std::vector<T>{}));
      EXPECT(t.scatter(t.rank() == root ? all : std::vector<T>{}, root) == mine);
    }
  });
}

// Joins with the order visible: neither commutative nor of one length.
template <class T, class Op>
void folds_values(int times, const T& first, Op op) {
  for_teams([&](const am::team& t) {
    for (int round = 0; round < times; ++round) {
      const auto all = values<T>(t, round);
      const T mine = all[std::size_t(t.rank())];
      const am::rank_t root = (round + 1) % t.size();
      std::vector<T> sums{all[0]};
      for (std::size_t i = 1; i < all.size(); ++i) sums.push_back(op(sums.back(), all[i]));
      T before = first;
      for (am::rank_t i = 0; i < t.rank(); ++i) before = op(before, all[std::size_t(i)]);
      EXPECT(t.all_reduce(mine, op) == sums.back());
      EXPECT(t.reduce(mine, op, root) == (t.rank() == root ? std::optional<T>(sums.back()) : std::nullopt));
      EXPECT(t.inclusive_scan(mine, op) == sums[std::size_t(t.rank())]);
      EXPECT(t.exclusive_scan(mine, first, op) == before);
    }
  });
}

}  // namespace

RANK_TEST(values_of_one_line_move) {
  moves_values<double>(40);
  moves_values<char>(10);
  moves_values<particle>(40);
  moves_values<std::pair<int, double>>(10);
}

RANK_TEST(values_of_fixed_length_move) { moves_values<block>(30); }

RANK_TEST(values_of_any_length_move) {
  moves_values<std::string>(28);
  moves_values<std::vector<double>>(20);
  moves_values<std::vector<std::string>>(20);
  moves_values<std::map<std::string, std::vector<int>>>(20);
}

RANK_TEST(values_fold_in_the_order_of_ranks) {
  folds_values<double>(40, 1.0, am::in_order(std::minus<>{}));
  folds_values<long>(40, 0L, am::in_order([](long a, long b) { return 3 * a + b; }));
  folds_values<std::pair<int, double>>(
      10, {0, 0}, am::in_order([](const auto& a, const auto& b) { return std::pair(a.first - b.first, b.second); }));
  folds_values<std::string>(14, "", std::plus<>{});
  folds_values<std::vector<double>>(10, {}, [](std::vector<double> a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  });
}

RANK_TEST(fast_members_run_ahead_of_slow_ones) {
  std::mt19937 random{unsigned(am::rank())};
  for (int i = 0; i < rounds(3000); ++i) {
    const am::rank_t root = i / 7 % am::ranks();
    if (random() % 64 == 0) sched_yield();
    if (!EXPECT_EQ(am::world().broadcast(am::rank() * 100'000 + i, root), root * 100'000 + i)) return;
    if (i % 5 == 0) am::world().reduce(i, std::plus<>{}, root);
    if (i % 11 == 0) EXPECT_EQ(am::world().inclusive_scan(1, std::plus<>{}), am::rank() + 1);
    if (i % 17 == 0) EXPECT_EQ(am::world().broadcast(std::string(std::size_t(i), char('a' + root)), root).size(), std::size_t(i));
  }
}

RANK_TEST(spans_are_broadcast_in_place) {
  for (const std::size_t n : {std::size_t(0), std::size_t(5), std::size_t(700), std::size_t(300'001)}) {
    std::vector<int> data(n, am::rank() == 0 ? 7 : -1);
    am::world().broadcast(std::span(data));
    EXPECT(data == std::vector<int>(n, 7));
  }
}

RANK_TEST(all_to_all_transposes) {
  for (const std::size_t k : {1, 2, 3, 7, 8, 100, 1000, 8192, 50'000}) {
    for_teams([&](const am::team& t) {
      const std::size_t n = std::size_t(t.size());
      std::vector<std::uint64_t> in(n * k), out(n * k, 1);
      const auto element = [&](std::size_t from, std::size_t to, std::size_t i) {
        return from * 1'000'000'000 + to * 1'000'000 + i;
      };
      for (std::size_t i = 0; i < n * k; ++i) in[i] = element(std::size_t(t.rank()), i / k, i % k);
      for (int repeat = 0; repeat < 3; ++repeat) {
        t.all_to_all(std::span<const std::uint64_t>(in), std::span(out));
        bool right = true;
        for (std::size_t i = 0; i < n * k; ++i) right &= out[i] == element(i / k, std::size_t(t.rank()), i % k);
        EXPECT(right);
        std::ranges::fill(out, 1);
      }
    });
  }
}

RANK_TEST(long_messages_go_straight_out_of_segments) {
  const std::size_t n = std::size_t(am::ranks()), k = 5000;
  const am::global_ptr<long> in = am::allocate<long>(n * k), out = am::allocate<long>(n * k);
  for (std::size_t i = 0; i < n * k; ++i) in.local()[i] = am::rank() * 10 + long(i / k), out.local()[i] = -1;
  am::all_to_all(std::span<const long>(in.local(), n * k), std::span(out.local(), n * k));
  bool right = true;
  for (std::size_t i = 0; i < n * k; ++i) right &= out.local()[i] == long(i / k) * 10 + am::rank();
  EXPECT(right);
  am::world().broadcast(std::span(in.local(), n * k), am::ranks() - 1);
  EXPECT_EQ(in.local()[n * k - 1], (am::ranks() - 1) * 10L + am::ranks() - 1);
  am::deallocate(in);
  am::deallocate(out);
}

RANK_TEST(all_to_all_of_bytes) {
  const std::size_t n = std::size_t(am::ranks());
  for (std::size_t k = 1; k < 70; ++k) {
    std::vector<char> in(n * k, char(am::rank())), out(n * k, 'x');
    am::all_to_all(std::span<const char>(in), std::span(out));
    for (std::size_t i = 0; i < n * k; ++i)
      if (!EXPECT_EQ(int(out[i]), int(i / k))) return;
  }
}

RANK_TEST(all_to_all_of_different_lengths) {
  const std::size_t n = std::size_t(am::ranks());
  const auto length = [](std::size_t from, std::size_t to, unsigned round) {
    return (from * 31 + to * 17 + round * 7) % 40 * (round * round * 10);
  };
  for (unsigned round = 0; round < 12; ++round) {
    std::vector<std::vector<int>> parts(n), expected(n);
    std::vector<std::vector<std::string>> words(n), expected_words(n);
    std::vector<std::size_t> counts(n), came(n);
    std::vector<int> flat, expected_flat;
    for (std::size_t i = 0; i < n; ++i) {
      const auto me = std::size_t(am::rank());
      parts[i].assign(counts[i] = length(me, i, round), int(me * 100 + i));
      expected[i].assign(length(i, me, round), int(i * 100 + me));
      words[i].assign(length(me, i, round) % 50, std::string(i * 9, 'w'));
      expected_words[i].assign(length(i, me, round) % 50, std::string(me * 9, 'w'));
      flat.insert(flat.end(), parts[i].begin(), parts[i].end());
      expected_flat.insert(expected_flat.end(), expected[i].begin(), expected[i].end());
    }
    EXPECT(am::all_to_all_v(parts) == expected);
    EXPECT(am::all_to_all_v(words) == expected_words);
    EXPECT(am::world().all_to_all_v(std::span<const int>(flat), std::span<const std::size_t>(counts), std::span(came)) ==
           expected_flat);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(came[i], expected[i].size());
  }
}

RANK_TEST(wrong_lengths_are_errors) {
  std::vector<int> in(std::size_t(am::ranks()) + 1), out(in.size());
  if (am::ranks() > 1)
    EXPECT_THROWS_SAYING(am::usage_error, "multiple of the team's size",
                         am::all_to_all(std::span<const int>(in), std::span(out)));
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "one for each member", am::all_to_all_v(std::vector<std::vector<int>>(99)));
}

RANK_TEST(ranges_are_reduced_element_by_element) {
  const int n = am::ranks(), me = am::rank();
  const std::vector<int> mine = {me, 1, 10 * me};
  const int sum = n * (n - 1) / 2;
  const std::vector<int> sums = {sum, n, 10 * sum};
  EXPECT(am::all_reduce(am::each(mine), std::plus<>{}) == sums);
  EXPECT(am::world().all_reduce(am::each(mine), std::plus<>{}) == sums);
  const auto at_last = am::world().reduce(am::each(std::array{1.5, double(me)}), std::plus<>{}, n - 1);
  EXPECT_EQ(at_last.has_value(), me == n - 1);
  if (at_last) EXPECT((*at_last == std::array{1.5 * n, double(sum)}));
  const auto at_first = am::world().reduce(am::each(mine), [](int a, int b) { return a > b ? a : b; });
  if (at_first) EXPECT((*at_first == std::vector{n - 1, 1, 10 * (n - 1)}));
}

RANK_TEST(ranges_of_several_lengths_are_not_reduced) {
  if (am::ranks() == 1) return;
  std::string said;
  try {
    am::all_reduce(am::each(std::vector<int>(std::size_t(am::rank()))), std::plus<>{});
  } catch (const am::usage_error& e) { said = e.what(); }
  int one = -1, length = -1, other = -1, other_length = -1;
  EXPECT_EQ(
      std::sscanf(said.c_str() + std::min(said.size(), said.find("each: ")),
                  "each: rank %d gives %d elements, rank %d %d; all give as many elements", &one, &length, &other, &other_length),
      4);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, length);
  EXPECT_EQ(other, other_length);
}

RANK_TEST(collectives_are_counted) {
  const am::detail::counters& count = *am::detail::head_here("test").count;
  const std::uint64_t before = count.collectives;
  am::all_reduce(1, std::plus<>{});
  am::all_gather(std::string("x"));
  EXPECT_EQ(count.collectives - before, 2u);
}
