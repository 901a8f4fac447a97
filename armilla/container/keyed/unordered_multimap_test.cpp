// SPDX-License-Identifier: Apache-2.0
// Hash containers with equal keys against the standard's: operations of all ranks at once, a fence between phases. In one phase a
// key has one rank that changes it, or insertions alone, so that there is one right state behind the fence.
#include "armilla/unordered_multimap.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/top_k.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

std::mt19937_64 dice(int phase, am::rank_t r) { return std::mt19937_64(std::uint64_t(phase) * 1000 + std::uint64_t(r)); }

/// What all members have, in order.
template <class Element, class Container>
std::vector<Element> everything(const Container& c) {
  std::vector<Element> mine;
  for (const auto& e : c.local()) mine.emplace_back(e);
  std::vector<Element> all = c.members().all_gather_v(mine);
  std::sort(all.begin(), all.end());
  return all;
}
template <class Map>
auto sorted(const Map& m) {
  std::vector<std::pair<typename Map::key_type, typename Map::mapped_type>> all(m.begin(), m.end());
  std::sort(all.begin(), all.end());
  return all;
}

template <class Key, class Name>
void random_verbs_on_a_multimap(Name name_of) {
  using pair = std::pair<Key, number>;
  am::unordered_multimap<Key, number> m({.gather = 512});
  std::multimap<Key, number> oracle;
  const auto run_each = [](number& v, number by) { v ^= by; };
  for (int phase = 0; phase < 6; ++phase) {
    const number range = phase % 2 == 0 ? 8 : 700;
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      std::mt19937_64 random = dice(phase, r);
      for (int i = 0; i < 1500; ++i) {
        const Key key = name_of(random() % range * number(am::ranks()) + number(r));  // each rank has its own
        const number value = random() % 4;
        const bool mine = r == am::rank();
        const auto [first, last] = oracle.equal_range(key);
        switch (random() % 8) {
          case 0:
            oracle.erase(first, last);
            if (mine) m.erase(key);
            break;
          case 1:
            for (auto at = first; at != last;) at = at->second == value ? oracle.erase(at) : std::next(at);
            if (mine) m.erase(key, value);
            break;
          case 2:
            for (auto at = first; at != last; ++at) at->second ^= value;
            if (mine) m.visit(key, run_each, value);
            break;
          case 3:
            if (mine && i % 16 == 0) {
              std::vector<number> values;
              for (auto at = first; at != last; ++at) values.push_back(at->second);
              EXPECT(m.find(key).get() == (values.empty() ? std::nullopt : std::optional(values)));
              EXPECT_EQ(m.count(key).get(), values.size());
            }
            break;
          default:
            oracle.emplace(key, value);
            if (mine) m.insert(key, value);
        }
      }
    }
    am::fence();
    EXPECT_EQ(m.size(), oracle.size());
    EXPECT(everything<pair>(m) == sorted(oracle));
    am::barrier();
  }
}

}  // namespace

RANK_TEST(random_verbs_of_all_ranks_leave_what_a_multimap_of_the_standard_would_hold) {
  random_verbs_on_a_multimap<number>([](number n) { return n; });
}
RANK_TEST(texts_may_be_keys_of_a_multimap) {
  random_verbs_on_a_multimap<std::string>([](number n) { return std::string(n % 30, 'x') + std::to_string(n); });
}

RANK_TEST(a_key_of_all_ranks_has_the_values_of_all) {
  am::unordered_multimap<std::string, std::string> m;
  for (int i = 0; i < 2000; ++i) m.insert(std::string_view("key"), std::to_string(am::rank() * 2000 + i));
  am::fence();
  const auto found = m.find("key").get();
  EXPECT(found.has_value());
  std::set<std::string> different;
  if (found) different.insert(found->begin(), found->end());
  EXPECT_EQ(different.size(), std::size_t(am::ranks()) * 2000);
  EXPECT_EQ(m.size(), std::size_t(am::ranks()) * 2000);
  EXPECT_EQ(m.count("none").get(), 0U);
  const std::vector<std::string> asked = {"key", "none"};
  const auto many = m.find_range(asked);
  EXPECT(many[0] == found && !many[1].has_value());
  am::barrier();
}

RANK_TEST(random_verbs_of_all_ranks_leave_what_a_multiset_of_the_standard_would_hold) {
  am::unordered_multiset<std::string> s({.combine = 64, .gather = 256});
  std::multiset<std::string> oracle;
  for (int phase = 0; phase < 6; ++phase) {
    const number range = phase % 2 == 0 ? 8 : 700;
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      std::mt19937_64 random = dice(phase, r);
      for (int i = 0; i < 1500; ++i) {
        const std::string key = std::to_string(random() % range) + " of " + std::to_string(r);
        const number times = random() % 4;
        const bool mine = r == am::rank();
        switch (random() % 8) {
          case 0:
            oracle.erase(key);
            if (mine) s.erase(key);
            break;
          case 1:
            for (number n = 0; n < times; ++n)
              if (const auto at = oracle.find(key); at != oracle.end()) oracle.erase(at);
            if (mine) s.erase(key, times);
            break;
          case 2:
            if (mine && i % 16 == 0) {
              EXPECT_EQ(s.count(key).get(), oracle.count(key));
              EXPECT(s.find(key).get() == (oracle.count(key) == 0 ? std::nullopt : std::optional(key)));
            }
            break;
          case 3:
            for (number n = 0; n < times; ++n) oracle.insert(key);
            if (mine) s.insert(key, times);
            break;
          default:
            oracle.insert(key);
            if (mine) s.insert(std::string_view(key));
        }
      }
    }
    am::fence();
    EXPECT_EQ(s.size(), oracle.size());
    EXPECT(everything<std::string>(s) == std::vector<std::string>(oracle.begin(), oracle.end()));
    am::barrier();
  }
}

RANK_TEST(equal_keys_of_all_ranks_all_count) {
  am::unordered_multiset<number> s;
  for (number i = 0; i < 30000; ++i) s.insert(i % 10);
  am::fence();
  EXPECT_EQ(s.count(3).get(), 3000 * std::size_t(am::ranks()));
  EXPECT_EQ(s.size(), 30000 * std::size_t(am::ranks()));
  am::barrier();
}

RANK_TEST(bodies_insert_by_the_handles_of_containers_with_equal_keys) {
  am::unordered_multimap<number, number> m;
  am::unordered_multiset<number> s;
  const auto body = [](decltype(m.handle()) map, decltype(s.handle()) set, number i) {
    map->insert(i % 7, i);
    set->insert(i % 7);
  };
  for (number i = 0; i < 300; ++i) am::async(am::rank_t(i) % am::ranks(), body, m.handle(), s.handle(), i);
  am::fence();
  EXPECT_EQ(m.size(), 300 * std::size_t(am::ranks()));
  EXPECT_EQ(s.size(), m.size());
  EXPECT_EQ(s.count(2).get(), m.count(2).get());
  am::barrier();
}

RANK_TEST(one_way_calls_about_equal_keys_wait_for_a_loop) {
  am::unordered_multimap<number, number> m;
  m.insert(1, 1);
  am::fence();
  {
    auto mine = m.local();
    const std::size_t before = mine.size();
    am::barrier();
    for (number i = 0; i < 500; ++i) m.insert(i % 5, i);
    am::poll();
    am::barrier();
    EXPECT_EQ(mine.size(), before);
  }
  am::fence();
  EXPECT_EQ(m.size(), 501 * std::size_t(am::ranks()));
}

RANK_TEST(the_keys_that_a_counting_set_has_most_often) {
  am::counting_set<std::string> often;
  for (int word = 0; word < 20; ++word)
    for (int i = 0; i <= word; ++i) often.insert(std::to_string(word));
  am::fence();
  EXPECT_EQ(often.count("19").get(), 20 * std::int64_t(am::ranks()));
  const auto top = am::top_k(often, 3, am::by_value);
  EXPECT_EQ(top.size(), 3U);
  for (std::size_t i = 0; i < top.size(); ++i) EXPECT_EQ(top[i].first, std::to_string(19 - i));
  am::barrier();
}

RANK_TEST(a_negative_number_of_a_key_is_refused) {
  am::unordered_multiset<number> s;
  EXPECT_THROWS_SAYING(am::usage_error, "unordered_multiset::insert: a key 18446744073709551613 times (is the number negative?)",
                       s.insert(7U, std::uint64_t(-3)));
  s.insert(7U, 2);
  EXPECT_THROWS_SAYING(am::usage_error, "unordered_multiset::erase: a key 18446744073709551615 times",
                       s.erase(7U, std::uint64_t(-1)));
  am::fence();
  EXPECT_EQ(s.count(7U).get(), 2U * std::size_t(am::ranks()));
  am::barrier();
}

RANK_TEST(numbers_of_a_key_do_not_wrap_round) {
  constexpr std::uint64_t most = ~std::uint64_t(0) >> 1;
  am::unordered_multiset<number> s, apart({.combine = 0});
  if (am::rank() == 0) {
    s.insert(7U, most);
    EXPECT_THROWS_SAYING(am::limit_error, "more than 2^63 - 1 elements", s.insert(7U, most));
    apart.insert(7U, most);
    apart.insert(7U, most);
  }
  EXPECT_THROWS_SAYING(am::remote_error, "more than 2^63 - 1 elements", am::fence());
  EXPECT_EQ(s.count(7U).get(), most);
  EXPECT_EQ(apart.count(7U).get(), most);
  am::barrier();
}
