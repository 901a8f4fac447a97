// SPDX-License-Identifier: Apache-2.0
// Ordered containers against std::map and std::set: operations of all ranks at once, a fence between phases. In one phase a key
// has one rank that changes it, or one commutative operation of all, so that there is one right state behind the fence.
#include "armilla/map.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/per_rank.hpp"
#include "armilla/spawn.hpp"
#include "armilla/top_k.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

std::mt19937_64 dice(int phase, am::rank_t r) { return std::mt19937_64(std::uint64_t(phase) * 1000 + std::uint64_t(r)); }

/// What all members have, one after the other: it must be in order.
template <class Container>
auto everything(const Container& c) {
  std::vector<typename Container::element> mine;
  for (const auto& each : c.local()) mine.emplace_back(each);
  return c.members().all_gather_v(mine);
}
template <class Oracle>
bool same_elements(const auto& all, const Oracle& oracle) {
  return all.size() == oracle.size() && std::equal(all.begin(), all.end(), oracle.begin(), [](const auto& a, const auto& b) {
           return a.first == b.first && a.second == b.second;
         });
}
template <class Oracle, class Found>
bool same_place(const Oracle& oracle, typename Oracle::const_iterator at, const Found& found) {
  if (at == oracle.end()) return !found.has_value();
  return found.has_value() && found->first == at->first && found->second == at->second;
}

/// `key_of(n)`: keys in the order of n.
template <class Key, class KeyOf>
void random_verbs(KeyOf key_of, const am::ordered_options& how) {
  am::map<Key, number> m(how);
  std::map<Key, number> oracle;
  for (int phase = 0; phase < 8; ++phase) {
    const number range = phase % 2 == 0 ? 50 : 3000;
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      std::mt19937_64 random = dice(phase, r);
      for (int i = 0; i < 1500; ++i) {
        const Key key = key_of(random() % range * number(am::ranks()) + number(r));  // each rank has its own
        const number value = random();
        const bool mine = r == am::rank();
        switch (random() % 8) {
          case 0:
            oracle.insert({key, value});
            if (mine) m.insert(key, value);
            break;
          case 1:
            oracle.insert_or_assign(key, value);
            if (mine) m.insert_or_assign(key, value);
            break;
          case 2:
            oracle.erase(key);
            if (mine) m.erase(key);
            break;
          case 3:
            if (const auto at = oracle.find(key); at != oracle.end()) at->second ^= value;
            if (mine) m.visit(key, [value](number& v) { v ^= value; });
            break;
          case 4:
            if (mine && i % 16 == 0) {
              const auto at = oracle.find(key);  // a rank reads what it said before
              EXPECT(m.find(key).get() == (at == oracle.end() ? std::nullopt : std::optional<number>(at->second)));
              EXPECT_EQ(m.contains(key).get(), at != oracle.end());
            }
            break;
          default:
            if (!oracle.try_emplace(key, value).second) oracle[key] += value;
            if (mine) m.update(key, value, std::plus<>{});
        }
      }
    }
    am::fence();
    EXPECT_EQ(m.size(), oracle.size());
    EXPECT(same_elements(everything(m), oracle));
    std::mt19937_64 random = dice(phase, 77 + am::rank());
    for (int i = 0; i < 20; ++i) {
      Key low = key_of(random() % (range * number(am::ranks()))), high = key_of(random() % (range * number(am::ranks())));
      EXPECT(same_place(oracle, oracle.lower_bound(low), m.lower_bound(low).get()));
      EXPECT(same_place(oracle, oracle.upper_bound(low), m.upper_bound(low).get()));
      if (high < low) std::swap(low, high);
      const std::map<Key, number> some(oracle.lower_bound(low), oracle.lower_bound(high));
      EXPECT(same_elements(m.between(low, high), some));
    }
    if (phase == 5) m.rebalance();
    am::barrier();
  }
}

number key_itself(number n) { return n; }
std::string text_of(number n) {
  const std::string digits = std::to_string(n);
  return "a key that lies in memory of its own " + std::string(8 - digits.size(), '0') + digits;
}

/// Compares nothing while its rank is angry.
am::per_rank<bool> angry;
struct moody {
  bool operator()(number a, number b) const {
    if (*angry) throw std::domain_error("no order today");
    return a < b;
  }
};

}  // namespace

RANK_TEST(random_verbs_of_all_ranks_leave_what_the_standard_map_would_hold) { random_verbs<number>(key_itself, {.gather = 512}); }
RANK_TEST(keys_stay_where_they_are_until_rebalance) { random_verbs<number>(key_itself, {.uneven = 0}); }
RANK_TEST(keys_that_are_dealt_anew_often) { random_verbs<number>(key_itself, {.gather = 64, .uneven = 1.01}); }
RANK_TEST(texts_have_an_order) { random_verbs<std::string>(text_of, {.gather = 512}); }

RANK_TEST(a_fence_deals_keys_that_lie_uneven) {
  am::map<number, number> m;
  const number each = 2000, all = each * number(am::ranks());
  for (number i = number(am::rank()); i < all; i += number(am::ranks())) m.insert(i, i);
  am::fence();
  EXPECT_EQ(m.size(), all);
  EXPECT_EQ(m.local().size(), each);
  EXPECT_EQ(m.position(), each * number(am::rank()));
  number next = m.position();
  for (const auto& [key, value] : m.local()) {
    EXPECT_EQ(key, next);
    EXPECT_EQ(m.rank_of(key), am::rank());
    ++next;
  }
  am::barrier();
}

RANK_TEST(an_order_that_throws_on_one_rank_while_keys_are_dealt_changes_nothing_and_all_throw_it) {
  if (am::ranks() == 1) return;
  am::map<number, number, moody> m({.uneven = 0});
  if (am::rank() == 0)
    for (number i = 0; i < 3000; ++i) m.insert(i, i);
  am::fence();
  const bool mine = am::rank() == am::ranks() - 1;
  const auto throws_while = [&](bool is_angry, auto f) {
    *angry = is_angry;
    EXPECT_THROWS_SAYING(am::remote_error, "no order today", f());
    *angry = false;
    EXPECT_EQ(m.local().size(), am::rank() == 0 ? 3000U : 0U);
    am::barrier();
  };
  const std::vector<number> sample{3, 1, 2};
  throws_while(mine, [&] { m.rebalance(); });
  throws_while(am::rank() == 0, [&] { m.rebalance(); });
  throws_while(mine, [&] { m.rebalance_like(sample); });
  m.rebalance();
  EXPECT_EQ(m.local().size(), 3000U / std::size_t(am::ranks()));
  EXPECT(m.find(number{2999}).get() == number{2999});
  am::barrier();
}

// It waits for credit of what it sends.
RANK_TEST(keys_are_dealt_and_loops_begin_behind_a_one_way_call_that_has_begun) {
  am::detail::part_guard guard;
  bool begun = false, may_end = false, ended = false, dealt_early = false, looped_early = false;
  int left = 3;
  am::spawn([&] {
    guard.close();
    guard.put_off([&] {
      begun = true;
      while (!may_end) am::yield();
      ended = true;
    });
    guard.open();
    --left;
  });
  while (!begun) am::yield();
  am::spawn([&] {
    guard.await_loops();
    dealt_early = !ended;
    --left;
  });
  am::spawn([&] {
    guard.close();
    looped_early = !ended;
    guard.open();
    --left;
  });
  for (int i = 0; i < 10; ++i) am::yield();
  may_end = true;
  while (left != 0) am::yield();
  EXPECT(!dealt_early);
  EXPECT(!looped_early);
}

RANK_TEST(a_sample_is_any_range) {
  am::set<number> s({.uneven = 0});
  s.rebalance_like(std::views::iota(number{0}) | std::views::take_while([](number i) { return i < 1000; }));
  if (am::rank() == 0) s.insert_range(std::views::iota(number{0}, number{1000}));
  am::fence();
  EXPECT(s.local().size() < 1000 / std::size_t(am::ranks()) + 50);
  am::barrier();
}

RANK_TEST(a_sample_deals_keys_before_they_come) {
  am::set<number> s({.uneven = 0});
  std::mt19937_64 random = dice(1, am::rank());
  std::vector<number> mine(4000);
  for (number& key : mine) key = random();
  s.rebalance_like(mine);
  s.insert_range(mine);
  am::fence();
  EXPECT(am::ranks() == 1 || s.local().size() < 2 * s.size() / std::size_t(am::ranks()));
  EXPECT(s.local().size() > s.size() / std::size_t(am::ranks()) / 2);
  const std::vector<number> all = everything(s);
  EXPECT(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.size(), s.size());
  am::barrier();
}

RANK_TEST(a_set_in_the_order_of_another_comparison) {
  am::set<long, std::greater<>> s;
  std::set<long, std::greater<>> oracle;
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    std::mt19937_64 random = dice(3, r);
    for (int i = 0; i < 3000; ++i) {
      const long key = long(random() % 20000) - 10000;
      oracle.insert(key);
      if (r == am::rank()) s.insert(key);
    }
  }
  am::fence();
  const std::vector<long> all = everything(s);
  EXPECT(std::equal(all.begin(), all.end(), oracle.begin(), oracle.end()));
  const std::vector<long> some = s.between(50, -50);
  EXPECT(std::equal(some.begin(), some.end(), oracle.lower_bound(50), oracle.lower_bound(-50)));
  EXPECT_EQ(s.lower_bound(0).get(), *oracle.lower_bound(0));
  EXPECT(s.between(-50, 50).empty());
  am::barrier();
}

RANK_TEST(fewer_keys_than_ranks_and_none) {
  am::map<number, number> m;
  EXPECT(!m.lower_bound(0).get().has_value());
  EXPECT(m.between(0, 10).empty());
  am::barrier();
  m.rebalance();
  if (am::rank() == 0) m.insert(7, 1);
  m.rebalance();
  EXPECT_EQ(m.size(), 1U);
  EXPECT_EQ(m.find(7).get(), 1U);
  EXPECT_EQ(m.lower_bound(3).get()->first, 7U);
  EXPECT(!m.upper_bound(7).get().has_value());
  EXPECT_EQ(m.between(0, 10).size(), 1U);
  am::barrier();
}

RANK_TEST(of_all_that_insert_a_key_in_order_one_is_told_that_it_is_new) {
  am::set<number> s({.uneven = 1.01});
  am::map<number, number> m({.uneven = 1.01});
  number fresh = 0;
  for (int round = 0; round < 3; ++round) {  // the fences deal the keys of the rounds before
    for (number k = 0; k < 300 * number(round + 1); ++k) fresh += !s.test_and_insert(k).get() + !m.test_and_insert(k, k).get();
    am::fence();
  }
  EXPECT_EQ(am::all_reduce(fresh, std::plus<>{}), 1800U);
  EXPECT_EQ(s.size() + m.size(), 1800U);
}

// While rank 0 waits in the fences, a fiber of each rank goes on to say things, which find keys that have moved.
RANK_TEST(what_bodies_say_while_keys_are_dealt_finds_them) {
  am::map<number, number> m({.gather = 1, .uneven = 1.01});
  struct step {
    am::map<number, number>::handle_type map;
    void operator()(number& value, number key, number left) const {
      ++value;
      if (left != 0) map->visit((key * 7919 + 13) % 3000, *this, (key * 7919 + 13) % 3000, left - 1);
    }
  };
  for (number i = number(am::rank()); i < 3000; i += number(am::ranks())) m.insert(i, 0);
  am::fence();
  for (int round = 0; round < 10; ++round) {
    bool told = false;
    auto teller = am::spawn([&] {
      for (number i = 0; i < 300; ++i) {
        m.update(i * 10 % 3000, 1, std::plus<>{});
        if (i % 16 == 0) am::yield();
        if (i % 64 == 0) EXPECT(m.find(i * 10 % 3000).get().has_value());
      }
      told = true;
    });
    if (am::rank() == 0) m.visit(0, step{m.handle()}, number(0), number(50));
    m.rebalance();
    teller.join();
    EXPECT(told);
    am::fence();
  }
  number mine = 0;
  for (const auto& [key, value] : m.local()) mine += value;
  EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), 10 * (51 + 300 * number(am::ranks())));
  EXPECT_EQ(m.size(), 3000U);
}

RANK_TEST(an_ordered_map_of_a_part_of_the_ranks) {
  const am::team half = am::world().split(am::rank() % 2);
  am::map<std::string, long> m(half);
  for (long i = 0; i < 600; ++i) m.update(std::to_string(i), 1, std::plus<>{});
  half.fence();
  EXPECT_EQ(m.size(), 600U);
  for (const auto& [key, value] : m.local()) EXPECT_EQ(value, long(half.size()));
  const auto all = everything(m);
  EXPECT(std::is_sorted(all.begin(), all.end()));
}

RANK_TEST(many_keys_of_an_ordered_map_are_looked_up_at_once) {
  am::map<number, number> m;
  for (number i = number(am::rank()); i < 4000; i += number(am::ranks())) m.insert(2 * i, i);
  am::fence();
  std::vector<number> asked;
  for (number i = 0; i < 1000; ++i) asked.push_back(i * 7 % 8000);
  const auto found = m.find_range(asked);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < asked.size(); ++i)
    wrong += found[i] != (asked[i] % 2 == 0 ? std::optional(asked[i] / 2) : std::nullopt);
  EXPECT_EQ(wrong, 0U);
  const auto top = am::top_k(m, 2, am::by_value);
  EXPECT_EQ(top[1].second, 3998U);
  am::barrier();
}

RANK_TEST(an_ordered_map_moves_and_is_reached_by_its_handle) {
  am::map<number, number> a;
  am::map<number, number> b(std::move(a));
  const auto name = b.handle();
  am::async(am::ranks() - 1, [](am::map<number, number>::handle_type h, number k) { h->insert(k, k); }, name, number(am::rank()));
  am::fence();
  EXPECT_EQ(b.size(), std::size_t(am::ranks()));
  EXPECT_EQ(b.call(0, [](number& v) { return v += 5; }).get().has_value(), true);
  am::barrier();
}

RANK_TEST(one_way_calls_wait_for_a_loop_over_an_ordered_part) {
  am::map<number, number> m;
  m.insert(number(am::rank()), 0);
  am::fence();
  {
    auto mine = m.local();
    const std::size_t before = mine.size();
    am::barrier();
    for (number i = 0; i < 500; ++i) m.insert(i, 0);
    am::poll();
    am::barrier();
    EXPECT_EQ(mine.size(), before);
    EXPECT_THROWS(am::usage_error, static_cast<void>(m.lower_bound(5)));
    EXPECT_THROWS(am::usage_error, static_cast<void>(m.between(5, 6)));
  }
  am::fence();
  EXPECT_EQ(m.size(), 500U);
}
