// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "armilla/collectives.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// Below and above a line, a board for all members, a piece of the staging and all of it.
constexpr std::size_t lengths[] = {0, 1, 7, 8, 100, 127, 129, 513, 3000, 40'000};

// What member `member` gives as element `k`; sums of it depend on the order of the members.
double value(std::size_t k, int member, int turn = 0) { return 0.1 * double(k % 97 + 1) + 1000.7 * member + turn; }

std::vector<double> values(std::size_t n, int member, int turn = 0) {
  std::vector<double> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = value(k, member, turn);
  return all;
}

// What all members give as element `k`.
std::vector<double> column(std::size_t k, int members, int turn) {
  std::vector<double> all;
  for (int m = 0; m < members; ++m) all.push_back(value(k, m, turn));
  return all;
}

// Numbers of base 3, one behind the other: not commutative, in 24 or in 72 bytes: pieces of transfers do not cut the one, and
// would cut the other.
template <std::size_t Bytes>
struct word {
  std::uint64_t digits = 1, scale = 3;
  std::array<std::uint64_t, Bytes / 8 - 2> rest{};
  friend word operator+(const word& a, const word& b) { return {a.digits * b.scale + b.digits, a.scale * b.scale, a.rest}; }
  friend bool operator==(const word&, const word&) = default;
};

template <std::size_t Bytes>
std::vector<word<Bytes>> words(std::size_t n, int member) {
  std::vector<word<Bytes>> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k].digits = k % 5 + std::uint64_t(member) * 7 + 1;
  return all;
}

template <class T>
T fold(const std::vector<T>& all) {
  return std::accumulate(all.begin() + 1, all.end(), all.front());
}

template <std::size_t Bytes>
void words_are_folded_in_order(std::size_t n) {
  const am::team t = am::world();
  const auto me = std::size_t(t.rank()), size = std::size_t(t.size());
  const auto digit = [](std::size_t k, std::size_t member) { return words<Bytes>(k + 1, int(member))[k]; };
  const auto folded = [&](std::size_t k, std::size_t last) {
    std::vector<word<Bytes>> all;
    for (std::size_t m = 0; m < last; ++m) all.push_back(digit(k, m));
    return all;
  };
  auto scanned = words<Bytes>(n, t.rank()), before = scanned;
  t.inclusive_scan(std::span(scanned), std::plus<>{});
  t.exclusive_scan(std::span(before), word<Bytes>{}, std::plus<>{});
  std::vector<word<Bytes>> mine(n);
  t.reduce_scatter(words<Bytes>(n * size, t.rank()), std::span(mine), std::plus<>{});
  for (std::size_t k = 0; k < n; k += n / 7 + 1) {
    EXPECT(scanned[k] == fold(folded(k, me + 1)));
    const auto those_before = folded(k, me);
    EXPECT(before[k] == std::accumulate(those_before.begin(), those_before.end(), word<Bytes>{}));
    EXPECT(mine[k] == fold(folded(me * n + k, size)));
  }
}

}  // namespace

RANK_TEST(scatter_of_arrays_gives_each_member_its_part) {
  const am::team t = am::world();
  const auto size = std::size_t(t.size());
  for (const std::size_t n : lengths)
    for (int turn = 0; turn < 6; ++turn) {
      const am::rank_t root = am::rank_t(turn) % t.size();
      const std::vector<double> all = t.rank() == root ? values(n * size, root, turn) : std::vector<double>();
      std::vector<double> mine(n, -1.0);
      t.scatter(all, std::span(mine), root);
      const std::vector<double> expected = values(n * size, root, turn);
      EXPECT(std::equal(mine.begin(), mine.end(), expected.begin() + std::ptrdiff_t(n * std::size_t(t.rank()))));
    }
}

RANK_TEST(reduce_scatter_of_arrays_folds_each_part) {
  const am::team t = am::world();
  const auto size = std::size_t(t.size()), me = std::size_t(t.rank());
  for (const std::size_t n : lengths)
    for (int turn = 0; turn < 6; ++turn) {
      std::vector<double> mine(n, -1.0);
      am::reduce_scatter(values(n * size, t.rank(), turn), std::span(mine), std::plus<>{});
      for (std::size_t k = 0; k < n; ++k) EXPECT(mine[k] == fold(column(me * n + k, t.size(), turn)));
    }
}

RANK_TEST(reduce_scatter_may_fold_into_its_own_part) {
  const am::team t = am::world();
  for (const std::size_t n : {3u, 5000u}) {
    const std::size_t mine = n * std::size_t(t.rank());
    std::vector<double> all = values(n * std::size_t(t.size()), t.rank());
    t.reduce_scatter(all, std::span(all).subspan(mine, n), std::plus<>{});
    for (std::size_t k = 0; k < n; ++k) EXPECT(all[mine + k] == fold(column(mine + k, t.size(), 0)));
  }
}

RANK_TEST(the_part_of_a_member_may_lie_anywhere_in_the_whole_array) {
  const am::team t = am::world();
  const auto size = std::size_t(t.size()), me = std::size_t(t.rank());
  const am::rank_t root = t.size() - 1;
  for (const std::size_t n : {3u, 300u, 5000u, 70'000u})
    for (const std::size_t at : {std::size_t(0), n / 2, n * (size - 1)}) {
      if (at + n > n * size) continue;
      std::vector<double> all = values(n * size, t.rank());
      t.reduce_scatter(all, std::span(all).subspan(at, n), std::plus<>{});
      for (std::size_t k = 0; k < n; ++k) EXPECT(all[at + k] == fold(column(me * n + k, t.size(), 0)));

      all = values(n * size, root);
      t.scatter(all, std::span(all).subspan(at, n), root);
      const std::vector<double> whole = values(n * size, root);
      EXPECT(std::equal(whole.begin() + std::ptrdiff_t(me * n), whole.begin() + std::ptrdiff_t(me * n + n),
                        all.begin() + std::ptrdiff_t(at)));

      std::vector<double> expected;
      for (am::rank_t m = 0; m < t.size(); ++m) {
        const std::vector<double> theirs = values(n, m);
        expected.insert(expected.end(), theirs.begin(), theirs.end());
      }
      for (const bool on_all : {false, true}) {
        all.assign(n * size, -1.0);
        const std::vector<double> mine = values(n, t.rank());
        std::copy(mine.begin(), mine.end(), all.begin() + std::ptrdiff_t(at));
        if (on_all)
          t.all_gather(std::span(all).subspan(at, n), std::span(all));
        else
          t.gather(std::span(all).subspan(at, n), std::span(all), root);
        if (on_all || t.rank() == root) EXPECT(all == expected);
      }
    }
}

RANK_TEST(scans_of_arrays_are_those_of_each_column) {
  const am::team t = am::world();
  const auto me = std::ptrdiff_t(t.rank());
  for (const std::size_t n : lengths)
    for (int turn = 0; turn < (n > 500 ? 2 : 6); ++turn) {  // what is expected takes most of the time
      std::vector<double> scanned = values(n, t.rank(), turn), before = scanned;
      t.inclusive_scan(std::span(scanned), am::in_order(std::plus<>{}));
      t.exclusive_scan(std::span(before), 0.5, am::in_order(std::plus<>{}));
      for (std::size_t k = 0; k < n; ++k) {
        std::vector<double> those = column(k, t.size(), turn), until(those), without(those);
        std::inclusive_scan(those.begin(), those.end(), until.begin());
        std::exclusive_scan(those.begin(), those.end(), without.begin(), 0.5);
        EXPECT(scanned[k] == until[std::size_t(me)]);
        EXPECT(before[k] == without[std::size_t(me)]);
      }
    }
}

RANK_TEST(arrays_are_folded_in_the_order_of_the_members) {
  for (const std::size_t n : {1u, 20u, 300u, 5000u}) {
    words_are_folded_in_order<24>(n);
    words_are_folded_in_order<72>(n / 3 + 1);
  }
}

RANK_TEST(scatters_and_scans_follow_each_other_without_a_meeting) {
  const am::team t = am::world();
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t n = 8 + std::size_t(turn % 3) * 200;
    std::vector<double> part(n);
    t.scatter(values(t.rank() == 0 ? n * std::size_t(t.size()) : 0, 0, turn), std::span(part));
    EXPECT(part[1] == value(n * std::size_t(t.rank()) + 1, 0, turn));
    t.inclusive_scan(std::span(part), [](double a, double b) { return a > b ? a : b; });
  }
}

RANK_TEST(values_to_each_member_arrive_by_number) {
  const am::team t = am::world();
  std::vector<int> numbers;
  std::vector<std::string> texts;
  std::vector<bool> flags;
  for (am::rank_t i = 0; i < t.size(); ++i) {
    numbers.push_back(100 * t.rank() + i);
    texts.push_back(std::string(std::size_t(i) * 50, 'x') + std::to_string(t.rank()));
    flags.push_back((t.rank() + i) % 2 == 0);
  }
  const std::vector<bool> of_last(flags);
  EXPECT(t.scatter(of_last, t.size() - 1) == ((t.size() - 1 + t.rank()) % 2 == 0));
  const auto got = am::all_to_all(numbers);
  const auto read = t.all_to_all(texts);
  const auto seen = t.all_to_all(flags);
  for (am::rank_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(got[std::size_t(i)], 100 * i + t.rank());
    EXPECT_EQ(read[std::size_t(i)], std::string(std::size_t(t.rank()) * 50, 'x') + std::to_string(i));
    EXPECT(seen[std::size_t(i)] == ((t.rank() + i) % 2 == 0));
  }
}

RANK_TEST(reduce_scatter_of_values_combines_in_order) {
  const am::team t = am::world();
  std::vector<std::string> texts;
  std::vector<long> numbers;
  for (am::rank_t i = 0; i < t.size(); ++i) texts.push_back(std::to_string(t.rank()) + ">" + std::to_string(i) + " ");
  for (am::rank_t i = 0; i < t.size(); ++i) numbers.push_back(10 * t.rank() + i);
  std::string expected;
  for (am::rank_t m = 0; m < t.size(); ++m) expected += std::to_string(m) + ">" + std::to_string(t.rank()) + " ";
  EXPECT_EQ(t.reduce_scatter(texts, std::plus<>{}), expected);
  EXPECT_EQ(am::reduce_scatter(numbers, std::plus<>{}), 5L * t.size() * (t.size() - 1) + long(t.size()) * t.rank());
}

RANK_TEST(vectors_of_any_length_are_gathered_one_behind_the_other) {
  const am::team t = am::world();
  const auto part = [](am::rank_t r) { return std::vector<int>(std::size_t(r) * 3, r); };
  std::vector<int> expected;
  std::vector<std::string> names;
  for (am::rank_t i = 0; i < t.size(); ++i) {
    const auto theirs = part(i);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
    names.insert(names.end(), std::size_t(i), std::to_string(i));
  }
  EXPECT(am::all_gather_v(part(t.rank())) == expected);
  EXPECT(t.all_gather_v(std::vector<std::string>(std::size_t(t.rank()), std::to_string(t.rank()))) == names);
}

RANK_TEST(what_does_not_fit_the_team_is_refused) {
  const am::team me = am::world().split(am::rank());
  std::vector<int> two(2), one(1);
  EXPECT_THROWS_SAYING(am::usage_error, "team::scatter: 8 bytes are there for parts of 4", me.scatter(two, std::span(one)));
  EXPECT_THROWS_SAYING(am::usage_error, "team::reduce_scatter: 8 bytes", me.reduce_scatter(two, std::span(one), std::plus<>{}));
  EXPECT_THROWS_SAYING(am::usage_error, "team::all_to_all: 2 values for a team of 1", me.all_to_all(two));
  EXPECT_THROWS_SAYING(am::usage_error, "team::reduce_scatter: 2 values", me.reduce_scatter(two, std::plus<>{}));
  EXPECT_THROWS_SAYING(am::usage_error, "there is no root 1", me.scatter(one, std::span(one), 1));
}

RANK_TEST(an_operation_that_throws_is_heard_when_all_is_done) {
  const am::team t = am::world();
  const auto bad = [](double, double) -> double { throw std::runtime_error("cannot add"); };
  std::vector<double> data(3, 1.0), all(3 * std::size_t(t.size()), 1.0);
  const auto in_order = am::in_order(bad);
  if (t.rank() > 0) EXPECT_THROWS_SAYING(std::runtime_error, "cannot add", t.inclusive_scan(std::span(data), in_order));
  if (t.rank() == 0) t.inclusive_scan(std::span(data), in_order);
  if (t.size() > 1) EXPECT_THROWS_SAYING(std::runtime_error, "cannot add", t.reduce_scatter(all, std::span(data), bad));
  EXPECT_EQ(t.all_reduce(1, std::plus<>{}), t.size());
}
