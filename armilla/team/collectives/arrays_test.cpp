// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fence.hpp"
#include "armilla/team/core/team_state.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// Below and above a line, a board, parts of it, a piece of the staging and all of it.
constexpr std::size_t lengths[] = {0, 1, 7, 8, 9, 100, 127, 128, 129, 512, 513, 3000, 40'000, 100'003};

double value(std::size_t k, int member, int turn) { return double(k % 97) + 1000.0 * member + turn; }

std::vector<double> values(std::size_t n, int member, int turn = 0) {
  std::vector<double> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = value(k, member, turn);
  return all;
}

std::vector<double> sums(std::size_t n, int members, int turn = 0) {
  std::vector<double> all(n, 0.0);
  for (int m = 0; m < members; ++m)
    for (std::size_t k = 0; k < n; ++k) all[k] += value(k, m, turn);
  return all;
}

// An operation that shows the order of its operands, by elements of `Bytes` bytes.
template <std::size_t Bytes>
struct word {
  static constexpr unsigned bits = 4;
  std::uint64_t digits = 0, length = 0;
  std::array<unsigned char, Bytes - 16> rest{};

  friend word operator+(const word& a, const word& b) {
    word both = a;
    both.digits = (a.digits << bits * b.length) + b.digits;
    both.length = a.length + b.length;
    return both;
  }
};

// Words of one digit each: the fold over members 0, 1, 2 is 0x123.
template <std::size_t Bytes>
std::vector<word<Bytes>> digits_of(std::size_t n, int member) {
  return std::vector<word<Bytes>>(n, word<Bytes>{std::uint64_t(member + 1), 1, {}});
}

template <std::size_t Bytes>
bool in_order(const std::vector<word<Bytes>>& all, int members) {
  std::uint64_t expected = 0;
  for (int m = 0; m < members; ++m) expected = (expected << word<Bytes>::bits) + std::uint64_t(m + 1);
  for (const auto& w : all)
    if (w.digits != expected || w.length != std::uint64_t(members)) return false;
  return true;
}

template <std::size_t Bytes>
void fold_in_order(std::size_t n) {
  const am::team t = am::world();
  auto mine = digits_of<Bytes>(n, t.rank());
  t.all_reduce(std::span(mine), std::plus<>{});
  EXPECT(in_order(mine, t.size()));
  for (am::rank_t root = 0; root < t.size(); ++root) {
    auto at_root = digits_of<Bytes>(n, t.rank());
    t.reduce(std::span(at_root), std::plus<>{}, root);
    if (t.rank() == root)
      EXPECT(in_order(at_root, t.size()));
    else
      EXPECT(n == 0 || at_root[0].digits == std::uint64_t(t.rank() + 1));
  }
}

}  // namespace

RANK_TEST(all_reduce_in_place) {
  for (const std::size_t n : lengths)
    for (int turn = 0; turn < 6; ++turn) {  // boards and halves of the staging are used again
      std::vector<double> data = values(n, am::rank(), turn);
      am::all_reduce(std::span(data), std::plus<>{});
      EXPECT(data == sums(n, am::ranks(), turn));
    }
}

RANK_TEST(reduce_in_place) {
  const am::team t = am::world();
  for (const std::size_t n : lengths)
    for (int turn = 0; turn < 6; ++turn) {
      const am::rank_t root = am::rank_t(turn) % t.size();
      std::vector<double> data = values(n, t.rank(), turn);
      t.reduce(std::span(data), std::plus<>{}, root);
      EXPECT(data == (t.rank() == root ? sums(n, t.size(), turn) : values(n, t.rank(), turn)));
    }
}

RANK_TEST(many_reductions_without_a_meeting_between) {
  const am::team t = am::world();
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<double> data = values(8 + std::size_t(turn % 3) * 300, t.rank(), turn);
    const std::size_t n = data.size();
    t.reduce(std::span(data), std::plus<>{}, 0);
    if (t.rank() == 0) EXPECT(data == sums(n, t.size(), turn));
  }
}

// With up to 14 members the digits fit.
RANK_TEST(members_are_folded_in_order) {
  for (const std::size_t n : {1u, 20u, 300u, 5000u}) {
    fold_in_order<24>(n);
    fold_in_order<40>(n);
    fold_in_order<64>(n);
    fold_in_order<72>(n);
    fold_in_order<1000>(n / 10 + 1);
  }
}

RANK_TEST(values_of_several_lines) {
  using several = std::array<double, 8>;
  const auto add = [](several a, const several& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
  };
  for (int turn = 0; turn < 10; ++turn) {
    several mine;
    for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = value(k, am::rank(), turn);
    several all;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = sums(8, am::ranks(), turn)[k];
    EXPECT(am::all_reduce(mine, add) == all);
    const auto sum = am::world().reduce(mine, add, turn % am::ranks());
    EXPECT_EQ(sum.has_value(), am::rank() == turn % am::ranks());
    if (sum) EXPECT(*sum == all);
  }
}

RANK_TEST(gathers_of_arrays) {
  const am::team t = am::world();
  for (const std::size_t n : lengths) {
    const std::vector<double> mine = values(n, t.rank());
    std::vector<double> expected;
    for (int m = 0; m < t.size(); ++m) {
      const auto theirs = values(n, m);
      expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    std::vector<double> all(n * std::size_t(t.size()));
    am::all_gather(std::span(mine), std::span(all));
    EXPECT(all == expected);
    const am::rank_t root = t.size() - 1;
    std::vector<double> on_root(t.rank() == root ? all.size() : 0);
    t.gather(std::span(mine), std::span(on_root), root);
    if (t.rank() == root) EXPECT(on_root == expected);
  }
}

RANK_TEST(a_gather_in_place) {
  for (const std::size_t n : {5u, 5000u}) {
    std::vector<int> all(n * std::size_t(am::ranks()), -1);
    const std::span<int> mine = std::span(all).subspan(std::size_t(am::rank()) * n, n);
    for (int& x : mine) x = am::rank();
    am::all_gather(std::span<const int>(mine), std::span(all));
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], int(k / n));
  }
}

RANK_TEST(gathers_of_arrays_of_any_length) {
  const am::team t = am::world();
  for (const std::size_t step : {0u, 3u, 700u, 20'000u})
    for (int turn = 0; turn < 5; ++turn) {
      const auto length = [&](int m) { return step * std::size_t((m + turn) % 4); };
      const std::vector<double> mine = values(length(t.rank()), t.rank(), turn);
      std::vector<std::size_t> counts(std::size_t(t.size()));
      const std::vector<double> all = am::all_gather_v(std::span(mine), std::span(counts));
      std::vector<double> expected;
      for (int m = 0; m < t.size(); ++m) {
        EXPECT_EQ(counts[std::size_t(m)], length(m));
        const auto theirs = values(length(m), m, turn);
        expected.insert(expected.end(), theirs.begin(), theirs.end());
      }
      EXPECT(all == expected);
    }
}

RANK_TEST(parts_of_the_job) {
  const am::team part = am::world().split(am::rank() % 2);
  for (const std::size_t n : lengths) {
    std::vector<double> data = values(n, part.rank());
    part.all_reduce(std::span(data), std::plus<>{});
    EXPECT(data == sums(n, part.size()));
  }
}

RANK_TEST(an_operation_that_throws_keeps_nobody_waiting) {
  for (const std::size_t n : {4u, 400u, 40'000u}) {
    std::vector<int> data(n, 1);
    const auto refuse = [](int a, int b) {
      if (am::rank() == 0) throw std::runtime_error("no sum");
      return a + b;
    };
    bool threw = false;
    try {
      am::all_reduce(std::span(data), refuse);
    } catch (const std::runtime_error&) { threw = true; }
    EXPECT_EQ(threw, am::rank() == 0 && am::ranks() > 1);
    am::barrier();
  }
}

RANK_TEST(room_that_does_not_fit) {
  const std::vector<int> mine(3);
  std::vector<int> all(3 * std::size_t(am::ranks()) + 1);
  EXPECT_THROWS_SAYING(am::usage_error, "the size of the team", am::all_gather(std::span(mine), std::span(all)));
  std::vector<std::size_t> counts(99);
  EXPECT_THROWS_SAYING(am::usage_error, "one for each member", am::all_gather_v(std::span(mine), std::span(counts)));
}

// Boards of two sizes are used in turns of their own.
RANK_TEST(short_and_long_arrays_take_turns) {
  const am::team t = am::world();
  constexpr std::size_t few[] = {64, 512, 8, 65, 64, 63, 300};
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t n = few[std::size_t(turn) % std::size(few)];
    auto mine = values(n, t.rank(), turn);
    if (turn % 3 == 0) {
      t.all_reduce(std::span(mine), std::plus<>{});
      EXPECT(mine == sums(n, t.size(), turn));
      continue;
    }
    const am::rank_t root = turn / 50 % t.size();  // members run ahead of it
    t.reduce(std::span(mine), std::plus<>{}, root);
    EXPECT(mine == (t.rank() == root ? sums(n, t.size(), turn) : values(n, t.rank(), turn)));
  }
}

namespace {

constexpr int ahead = 31;

// Read behind the library's back: a rank that spins on it takes in no messages.
std::atomic<long>& steps_of(am::rank_t r) {
  const am::detail::host_map& host = *am::detail::current->host;
  return *reinterpret_cast<std::atomic<long>*>(host.collectives + host.layout.collectives_bytes() -
                                               std::size_t(r + 1) * am::detail::cache_line);
}

}  // namespace

RANK_TEST(members_run_ahead_of_a_root_that_comes_late) {
  const am::team t = am::world();
  const am::detail::context& here = *am::detail::current;
  if (here.host->beyond != nullptr || here.teams->world->checking) return;  // what checks the order of collectives waits for all
  steps_of(t.rank()).store(0);
  am::barrier();
  std::vector<double> mine(8, double(t.rank()));
  if (t.rank() == 0)
    for (am::rank_t r = 1; r < t.size(); ++r)
      while (steps_of(r).load() < ahead) std::this_thread::yield();
  for (int i = 0; i < ahead; ++i) {
    t.reduce(std::span(mine), std::plus<>{});
    steps_of(t.rank()).store(i + 1);
  }
  EXPECT_EQ(mine[7], t.rank() == 0 ? ahead * t.size() * (t.size() - 1) / 2.0 : double(t.rank()));
  am::barrier();
}
