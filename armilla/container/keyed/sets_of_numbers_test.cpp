// SPDX-License-Identifier: Apache-2.0
// Bitmaps and disjoint sets against what one rank would do.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <vector>

#include "armilla/bitmap.hpp"
#include "armilla/collectives.hpp"
#include "armilla/disjoint_set.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// What each rank does in a phase is known to all.
std::mt19937 dice_of(int round, am::rank_t r) { return std::mt19937(unsigned(round * 100 + r)); }

struct pair_of_numbers {
  std::size_t a, b;
};
std::vector<pair_of_numbers> drawn_pairs(int round, am::rank_t r, std::size_t n, std::size_t most) {
  std::mt19937 dice = dice_of(round, r);
  std::vector<pair_of_numbers> all(dice() % most);
  for (auto& [a, b] : all) a = dice() % n, b = dice() % n;
  return all;
}

/// The least number of each set.
class sets_of_one_rank {
 public:
  explicit sets_of_one_rank(std::size_t n) : name_(n) { std::iota(name_.begin(), name_.end(), std::size_t{0}); }
  void unite(std::size_t a, std::size_t b) {
    const std::size_t from = std::max(name_[a], name_[b]), to = std::min(name_[a], name_[b]);
    std::replace(name_.begin(), name_.end(), from, to);
  }
  std::size_t find(std::size_t a) const { return name_[a]; }
  std::size_t count() const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < name_.size(); ++i) all += name_[i] == i ? 1 : 0;
    return all;
  }

 private:
  std::vector<std::size_t> name_;
};

void expect_alike(const am::disjoint_set& sets, const sets_of_one_rank& oracle) {
  EXPECT_EQ(sets.num_sets(), oracle.count());
  for (std::size_t a = std::size_t(am::rank()); a < sets.size(); a += 3) {
    const std::size_t b = (a * 7 + 1) % sets.size();
    EXPECT_EQ(sets.find(a).get(), oracle.find(a));
    EXPECT_EQ(sets.same(a, b).get(), oracle.find(a) == oracle.find(b));
  }
}

}  // namespace

// All ranks join the same numbers in different orders: exactly one call joins each two sets.
RANK_TEST(of_all_calls_that_join_two_sets_one_is_told) {
  constexpr std::size_t n = 60;
  am::disjoint_set sets(n);
  std::mt19937 dice(unsigned(am::rank()) + 1);
  std::vector<am::future<bool>> asked;
  for (int i = 0; i < 200; ++i) {
    const std::size_t a = dice() % n, b = dice() % n;
    asked.push_back(sets.test_and_unite(a - a % 3, b - b % 3));  // 20 numbers
  }
  for (std::size_t i = 0; i < n; i += 3) asked.push_back(sets.test_and_unite(i, 0));
  std::size_t joined = 0;
  for (auto& each : asked) joined += each.get() ? 0 : 1;
  am::fence();
  EXPECT_EQ(am::all_reduce(joined, std::plus<>{}), n / 3 - 1);
  EXPECT_EQ(sets.num_sets(), n - (n / 3 - 1));
  if (am::rank() == 0)
    EXPECT(sets.test_and_unite(3, 57).get() && sets.test_and_unite(4, 4).get() && !sets.test_and_unite(1, 0).get());
  am::barrier();
}

RANK_TEST(sets_join_as_those_of_one_rank_do) {
  int round = 0;
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{500}}) {
    am::disjoint_set sets(n);
    sets_of_one_rank oracle(n);
    EXPECT_EQ(sets.num_sets(), n);
    for (int phase = 0; phase < 4; ++phase, ++round) {
      for (const auto [a, b] : drawn_pairs(round, am::rank(), n, n / 3 + 2)) sets.unite(a, b);
      for (am::rank_t r = 0; r < am::ranks(); ++r)
        for (const auto [a, b] : drawn_pairs(round, r, n, n / 3 + 2)) oracle.unite(a, b);
      am::fence();
      expect_alike(sets, oracle);
      am::barrier();
      if (phase == 2) sets.compress();
    }
    sets.compress();
    for (std::size_t k = 0; k < sets.local().size(); ++k) EXPECT_EQ(sets.local()[k], oracle.find(sets.first_local() + k));
    am::barrier();
  }
}

// All ranks shorten the same ways while they join sets.
RANK_TEST(sets_united_by_all_ranks_equal_those_of_one_rank) {
  constexpr std::size_t n = 5000;
  am::disjoint_set sets(n);
  sets_of_one_rank oracle(n);
  for (const auto [a, b] : drawn_pairs(1, am::rank(), n, n / 3)) sets.unite(a, b);
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (const auto [a, b] : drawn_pairs(1, r, n, n / 3)) oracle.unite(a, b);
  am::fence();
  EXPECT_EQ(sets.num_sets(), oracle.count());
  sets.compress();
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < sets.local().size(); ++k) wrong += sets.local()[k] != oracle.find(sets.first_local() + k) ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
  am::barrier();
}

RANK_TEST(chains_from_all_sides_become_one_set) {
  const std::size_t n = 300;
  am::disjoint_set sets(n);
  for (std::size_t i = n - 1; i > 0; --i)
    if (i % std::size_t(am::ranks()) == std::size_t(am::rank())) sets.unite(i, i - 1);
  am::fence();
  EXPECT_EQ(sets.num_sets(), 1u);
  EXPECT_EQ(sets.find(n - 1).get(), 0u);
  am::barrier();
}

RANK_TEST(sets_of_a_sub_team_and_of_no_numbers) {
  const am::team half = am::world().split(am::rank() % 2);
  am::disjoint_set sets(40, half), none(0);
  EXPECT_EQ(none.num_sets(), 0u);
  if (half.rank() == 0) sets.unite(39, 1);
  am::fence();
  EXPECT_EQ(sets.num_sets(), 39u);
  EXPECT_EQ(sets.find(39).get(), 1u);
  EXPECT_THROWS_SAYING(am::usage_error, "index 40 is out of range", sets.unite(1, 40));
  EXPECT_THROWS_SAYING(am::usage_error, "index 40 is out of range", sets.find(40));
  half.barrier();
  am::disjoint_set moved = std::move(sets);
  EXPECT_EQ(moved.num_sets(), 39u);
  am::barrier();
}

RANK_TEST(one_way_calls_to_sets_that_are_let_go_end_with_the_fence) {
  for (int round = 0; round < 10; ++round) {
    am::disjoint_set sets(50);
    for (const auto [a, b] : drawn_pairs(round, am::rank(), 50, 40)) sets.unite(a, b);
  }
  am::fence();
}

RANK_TEST(bits_are_set_once_and_counted) {
  const std::size_t n = 1000;
  am::bitmap seen(n);
  EXPECT_EQ(seen.count(), 0u);
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; i += 3) first += seen.test_and_set(i) ? 0 : 1;
  am::fence();
  EXPECT_EQ(am::all_reduce(first, std::plus<>{}), (n + 2) / 3);
  EXPECT_EQ(seen.count(), (n + 2) / 3);
  for (std::size_t i = std::size_t(am::rank()); i < n; i += 7) EXPECT_EQ(seen.test(i), i % 3 == 0);
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "index 1,000 is out of range", seen.set(n));
}

RANK_TEST(bits_change_as_in_a_vector_of_bool) {
  const std::size_t n = 333;
  am::bitmap bits(n);
  std::vector<bool> oracle(n);
  for (int round = 0; round < 6; ++round) {
    const auto change = [&](am::rank_t r, auto&& set, auto&& reset, auto&& flip) {
      std::mt19937 dice = dice_of(round, r);
      for (int k = 0; k < 60; ++k) {  // each rank has bits of its own in a round
        const std::size_t i = (dice() % (n / std::size_t(am::ranks()))) * std::size_t(am::ranks()) + std::size_t(r);
        switch (dice() % 3) {
          case 0: set(i); break;
          case 1: reset(i); break;
          default: flip(i);
        }
      }
    };
    change(
        am::rank(), [&](std::size_t i) { bits.set(i); }, [&](std::size_t i) { bits.reset(i); },
        [&](std::size_t i) { bits.flip(i); });
    for (am::rank_t r = 0; r < am::ranks(); ++r)
      change(
          r, [&](std::size_t i) { oracle[i] = true; }, [&](std::size_t i) { oracle[i] = false; },
          [&](std::size_t i) { oracle[i] = !oracle[i]; });
    am::fence();
    EXPECT_EQ(bits.count(), std::size_t(std::count(oracle.begin(), oracle.end(), true)));
    std::size_t mine = 0;
    bits.for_each_set([&](std::size_t i) {
      EXPECT(oracle[i]);
      EXPECT_EQ(bits.rank_of(i), am::rank());
      ++mine;
    });
    EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), bits.count());
    am::barrier();
  }
}

RANK_TEST(bitmaps_are_combined_and_cleared_after_what_a_late_member_has_set) {
  am::bitmap a(1000), b(1000);
  b.set(7);
  const auto set_late = [&a](std::size_t i) {
    am::fence();
    if (am::rank() == am::ranks() - 1) {
      am::sleep_for(std::chrono::milliseconds(20));
      a.test_and_set(i);  // complete, whether it is mapped or not
    }
  };
  set_late(0);
  a.clear();
  EXPECT(!a.test(0));
  set_late(0);
  a.and_with(b);
  EXPECT(!a.test(0));
  set_late(0);
  a.xor_with(b);
  EXPECT(a.test(0) && a.test(7));
  set_late(1);
  a.or_with(b);
  EXPECT(a.test(1));
  EXPECT_EQ(a.count(), 3u);
  set_late(8);
  const am::bitmap c = a.clone();
  EXPECT(c.test(8));
  EXPECT_EQ(c.count(), 4u);
  am::barrier();
}

RANK_TEST(what_a_rank_sets_before_it_combines_bitmaps_stays) {
  constexpr std::size_t words = 2000;
  am::bitmap a(64 * words), b(64 * words);
  for (int round = 0; round < 5; ++round) {
    a.clear();
    if (am::rank() != 0)
      for (std::size_t k = 0; k < words; ++k) a.test_and_set(64 * k);
    a.or_with(b);
    EXPECT_EQ(a.count(), am::ranks() == 1 ? 0 : words);
  }
}

RANK_TEST(bitmaps_are_combined_cloned_and_cleared) {
  am::bitmap a(130), b(130), c(131);
  for (std::size_t i = 0; i < 130; ++i) {
    if (i % 2 == 0) a.set(i);
    if (i % 3 == 0) b.set(i);
  }
  am::fence();
  am::bitmap both = a.clone(), one = a.clone();
  both.and_with(b);
  one.xor_with(b);
  a.or_with(b);
  EXPECT_EQ(both.count(), 22u);
  EXPECT_EQ(a.count(), 65u + 44 - 22);
  EXPECT_EQ(one.count(), a.count() - both.count());
  EXPECT_THROWS_SAYING(am::usage_error, "bitmaps of 130 and 131 bits", a.or_with(c));
  EXPECT_THROWS_SAYING(am::remote_error, "enough", a.for_each_set([](std::size_t i) {
    if (i == 129) throw std::runtime_error("enough");
  }));
  a.clear();
  EXPECT_EQ(a.count(), 0u);
  const am::bitmap none(0);
  EXPECT_EQ(none.count(), 0u);
  am::barrier();
}
