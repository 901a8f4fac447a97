// SPDX-License-Identifier: Apache-2.0
// Hash containers against std::unordered_map: operations of all ranks at once, a fence between phases. In one phase a key has
// one rank that changes it, or one commutative operation of all, so that there is one right state behind the fence.
#include "armilla/unordered_map.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "armilla/map.hpp"
#include "armilla/unordered_multimap.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

/// As all ranks know what each other does, each can run all of it on the standard's container.
template <class V>
using oracle_of = std::unordered_map<number, V>;

std::mt19937_64 dice(int phase, am::rank_t r) { return std::mt19937_64(std::uint64_t(phase) * 1000 + std::uint64_t(r)); }

/// Everything that all members have.
template <class Map, class K, class V>
std::map<K, V> everything(Map& m) {
  std::vector<std::pair<K, V>> mine;
  for (const auto& [key, value] : m.local()) mine.emplace_back(key, value);
  const std::vector<std::pair<K, V>> all = m.members().all_gather_v(mine);
  return {all.begin(), all.end()};
}
template <class V>
std::map<number, V> everything(am::unordered_map<number, V>& m) {
  return everything<am::unordered_map<number, V>, number, V>(m);
}

/// Keys that occur as words do.
number zipf(std::mt19937_64& random, number keys) {
  const double u = std::uniform_real_distribution<double>(0, 1)(random);
  return number(std::pow(double(keys), u)) - 1;
}

void count_updates_of_all(const am::hash_options& how) {
  am::unordered_map<number, number> m(how);
  for (int phase = 0; phase < 3; ++phase) {
    oracle_of<number> sum;
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      std::mt19937_64 random = dice(phase, r);
      for (int i = 0; i < 20000; ++i) {
        const number key = phase == 0 ? zipf(random, 10000) : phase == 1 ? random() % 100000 : 7;
        sum[key] += number(i);
        if (r == am::rank()) m.update(key, number(i), std::plus<>{});
      }
    }
    am::fence();
    EXPECT(everything(m) == (std::map<number, number>(sum.begin(), sum.end())));
    EXPECT_EQ(m.size(), sum.size());
    am::barrier();
    for (const auto& [key, value] : sum)
      if (m.rank_of(key) == am::rank()) m.erase(key);
    am::fence();
    EXPECT_EQ(m.size(), 0U);
  }
}

/// A key that is compared by a part of it.
struct labeled {
  int id = 0, note = 0;
  friend bool operator==(const labeled& a, const labeled& b) { return a.id == b.id; }
};

template <std::size_t N>
struct bytes {
  std::array<char, N> at{};
  bytes() = default;
  explicit bytes(int n) { at.fill(char(n)); }
  bool operator==(const bytes&) const = default;
};

/// Values that are alike in a batch, and batches in which one differs, of 1 to 20 and of many.
template <class V>
void insert_alike_values() {
  for (const std::size_t gather : {std::size_t(1), std::size_t(60), std::size_t(8192)}) {
    am::unordered_map<number, V> m({.combine = 0, .gather = gather});
    am::unordered_multimap<number, V> many({.gather = gather});
    std::map<number, V> expected;
    for (number batch = 0; batch < 40; ++batch) {
      for (am::rank_t r = 0; r < am::ranks(); ++r) {
        const number size = batch < 20 ? batch : 500 + batch, other = dice(int(batch), r)() % (2 * size + 1);
        for (number i = 0; i < size; ++i) {
          const number key = (batch << 20 | i) * number(am::ranks()) + number(r);
          const V value(i == other ? 5 : 3);
          expected.emplace(key, value);
          if (r != am::rank()) continue;
          m.insert(key, value);
          many.insert(key, value);
        }
      }
      am::fence();
    }
    EXPECT(everything(m) == expected);
    std::map<number, V> of_many;
    for (const auto& [key, value] : many.local()) of_many.emplace(key, value);
    EXPECT_EQ(many.size(), expected.size());
    for (const auto& [key, value] : of_many) EXPECT(expected.at(key) == value);
    am::barrier();
  }
}

/// Can be sent unless it is 7, and read unless it is 8.
struct picky {
  long x = 0;
  bool operator==(const picky&) const = default;
  template <class Members>
  void define_type(Members& t) {
    if (x == 7) throw std::runtime_error("cannot be sent");
    const bool reads = x == 0;
    t.local(x);
    if (reads && x == 8) throw std::runtime_error("cannot be read");
  }
};

}  // namespace

template <>
struct std::hash<picky> {
  std::size_t operator()(const picky& k) const noexcept { return std::size_t(k.x); }
};
template <>
struct std::hash<labeled> {
  std::size_t operator()(const labeled& k) const noexcept { return std::size_t(k.id); }
};

RANK_TEST(values_of_any_size_that_are_alike_come_to_all_keys) {
  insert_alike_values<bytes<1>>();
  insert_alike_values<bytes<3>>();
  insert_alike_values<bytes<8>>();
  insert_alike_values<bytes<13>>();
  insert_alike_values<std::int16_t>();
  insert_alike_values<double>();
}

// The key comes before the value where a visitor has a parameter for it.
RANK_TEST(a_visitor_may_take_the_key) {
  am::unordered_map<std::string, long> m;
  am::map<int, std::string> ordered;
  am::unordered_multimap<int, int> many;
  if (am::rank() == 0) {
    m.insert("abc", 1);
    ordered.insert(7, "x");
    many.insert(3, 10), many.insert(3, 20);
  }
  am::fence();
  if (am::rank() == am::ranks() - 1) {
    m.visit("abc", [](const std::string& key, long& value, int more) { value += long(key.size()) + more; }, 5);
    ordered.visit(7, [](int key, std::string& value) { value += std::to_string(key); });
    many.visit(3, [](int key, int& value) { value += key; });
    EXPECT(m.call("abc", [](const std::string& key, long value) { return key + std::to_string(value); }).get() == "abc9");
    EXPECT(m.call("abc", [](const std::string&, long& value) { ++value; }).get());
    EXPECT(!m.call("no", [](const std::string&, long& value) { ++value; }).get());
  }
  am::fence();
  EXPECT(m.find("abc").get() == 10);
  EXPECT(ordered.find(7).get() == "x7");
  EXPECT(many.find(3).get() == std::vector({13, 23}));
  am::barrier();
}

RANK_TEST(a_visit_may_insert_the_key_first) {
  const auto test = [](auto& m) {
    for (int i = 0; i < 30; ++i) m.insert_or_visit(i, 1, [](long& value) { value += 1; });
    for (int i = 100; i < 130; ++i) m.insert_and_visit(i, 5, [](int key, long& value, long n) { value += n + key; }, 1L);
    m.update(200, 3, std::plus<>{});
    m.insert_or_visit(200, 0, [](long& value) { value += 10; });
    {
      const auto loop = m.local();  // operations that come meanwhile wait
      am::flush();
    }
    am::fence();
    const long n = am::ranks();
    for (int i = 0; i < 30; ++i) EXPECT(m.find(i).get() == n);
    for (int i = 100; i < 130; ++i) EXPECT(m.find(i).get() == 5 + n * (1 + i));
    EXPECT(m.find(200).get() >= 3);
    am::barrier();
  };
  am::unordered_map<int, long> by_hash;
  am::map<int, long> in_order;
  test(by_hash);
  test(in_order);
  by_hash.insert_or_visit(0, 0, [](long&) { throw std::domain_error("not this one"); });
  EXPECT_THROWS_SAYING(am::remote_error, "not this one", am::fence());
}

RANK_TEST(a_key_may_be_given_in_braces) {
  am::unordered_map<std::pair<int, int>, int> m;
  m.update({1, 2}, 1, std::plus<>{});
  am::fence();
  EXPECT(m.find({1, 2}).get() == int(am::ranks()));
  EXPECT(m.contains({1, 2}).get() && !m.contains({2, 1}).get());
  am::barrier();
  m.visit({1, 2}, [](int& n) { n = 4; });
  m.insert({3, 4}, 1);
  m.insert_or_assign({3, 4}, 2);
  am::fence();
  EXPECT(m.find({1, 2}).get() == 4 && m.find({3, 4}).get() == 2);
  am::barrier();
  m.erase({1, 2});
  am::unordered_set<std::pair<int, int>> s;
  s.insert({5, 6});
  am::map<std::pair<int, int>, int> ordered;
  ordered.insert({1, 1}, 1);
  ordered.insert({1, 2}, 2);
  am::fence();
  EXPECT(!m.contains({1, 2}).get() && s.contains({5, 6}).get());
  EXPECT(ordered.upper_bound({1, 1}).get()->second == 2);
  am::barrier();
}

RANK_TEST(keys_that_are_equal_by_a_part_of_them_are_one_key) {
  am::unordered_map<labeled, int> m;
  am::unordered_map<std::pair<int, labeled>, int> pairs;
  am::unordered_set<int, std::hash<int>> spread;  // by a hash that keeps its high bits zero
  if (am::rank() == 0)
    for (int i = 0; i < 100; ++i) {
      m.insert_or_assign(labeled{i, 10}, 5);
      m.insert_or_assign(labeled{i, 20}, 7);
      pairs.update(std::pair(3, labeled{i, 10}), 1, std::plus<>{});
      pairs.update(std::pair(3, labeled{i, 20}), 1, std::plus<>{});
      spread.insert(i);
    }
  am::fence();
  EXPECT_EQ(m.size(), 100U);
  EXPECT_EQ(m.find(labeled{1, 30}).get(), std::optional<int>(7));
  EXPECT_EQ(pairs.size(), 100U);
  EXPECT_EQ(pairs.find(std::pair(3, labeled{1, 30})).get(), std::optional<int>(2));
  EXPECT(spread.local().begin() != spread.local().end());
  am::barrier();
}

RANK_TEST(a_key_given_as_another_number_is_the_one_that_is_kept) {
  am::unordered_set<float> floats;
  am::unordered_set<float, std::hash<float>> by_a_hash_of_ours;
  am::unordered_set<std::pair<float, std::tuple<unsigned, bool>>> parts;
  am::set<float> in_order;
  am::unordered_map<unsigned, int> counts({.combine = 64});
  for (int i = 0; i < 100; ++i) {
    const double wide = i * 0.1;
    const auto narrow = float(wide);
    floats.insert(wide), floats.insert(narrow);
    by_a_hash_of_ours.insert(wide), by_a_hash_of_ours.insert(narrow);
    parts.insert(std::pair(wide, std::tuple(-i, 4))), parts.insert(std::pair(narrow, std::tuple(unsigned(-i), true)));
    in_order.insert(wide), in_order.insert(narrow);
    counts.update((1LL << 32) - i, 1, std::plus<>{}), counts.update(unsigned(-i), 1, std::plus<>{});
    if (i == 50) am::fence(), in_order.rebalance();
  }
  am::fence();
  EXPECT_EQ(floats.size(), 100U);
  EXPECT_EQ(by_a_hash_of_ours.size(), 100U);
  EXPECT_EQ(parts.size(), 100U);
  EXPECT_EQ(in_order.size(), 100U);
  EXPECT_EQ(counts.size(), 100U);
  std::vector<long> wanted;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(counts.find(-i).get(), std::optional<int>(2 * am::ranks()));
    EXPECT(floats.contains(i * 0.1).get() && in_order.contains(i * 0.1).get());
    EXPECT_EQ(counts.find_local(-i) != nullptr, counts.rank_of(-i) == am::rank());
    wanted.push_back(-i);
  }
  for (const auto& found : counts.find_range(wanted)) EXPECT(found.has_value());
  for (const auto& [key, value] : counts.local()) EXPECT_EQ(counts.rank_of(key), am::rank());
  am::barrier();
  // What this rank has said about a key meets, and keeps its order, in whatever type it is given.
  if (am::rank() == 0) counts.update(-7, 1, std::plus<>{}), counts.erase((1LL << 32) - 7), counts.erase(-8.0 + (1LL << 32));
  am::fence();
  EXPECT_EQ(counts.size(), 98U);
  am::barrier();
}

RANK_TEST(random_verbs_of_all_ranks_leave_what_the_standard_container_would_hold) {
  am::unordered_map<number, number> m;
  oracle_of<number> oracle;
  for (int phase = 0; phase < 8; ++phase) {
    const number range = phase % 2 == 0 ? 50 : 5000;
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      std::mt19937_64 random = dice(phase, r);
      for (int i = 0; i < 3000; ++i) {
        const number key = random() % range * number(am::ranks()) + number(r);  // each rank has its own
        const number value = random();
        const bool mine = r == am::rank();
        switch (random() % 6) {
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
              EXPECT_EQ(m.find(key).get(), at == oracle.end() ? std::nullopt : std::optional<number>(at->second));
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
    EXPECT(everything(m) == (std::map<number, number>(oracle.begin(), oracle.end())));
    am::barrier();
  }
}

RANK_TEST(updates_of_one_key_from_all_ranks_all_count) { count_updates_of_all({.combine = 64, .gather = 256}); }
RANK_TEST(updates_all_count_while_the_places_in_which_they_meet_grow) { count_updates_of_all({.gather = 256}); }

RANK_TEST(updates_by_different_operations_do_not_meet) {
  am::unordered_map<number, number> m;
  const auto larger = [](number a, number b) { return a < b ? b : a; };
  if (am::rank() == 0)
    for (number i = 0; i < 1000; ++i) {
      m.update(i % 10, 1, std::plus<>{});
      m.update(i % 10, 50, larger);
    }
  am::fence();
  for (const auto& [key, value] : m.local()) EXPECT_EQ(value, 149U);  // 1, then 50, then 99 times one more
  EXPECT_EQ(m.size(), 10U);
}

// Each eviction sends, and what comes meanwhile updates by another operation.
void update_while_bodies_do(std::size_t combine) {
  am::unordered_map<number, number> m({.combine = combine, .gather = 1});
  const auto name = m.handle();
  constexpr number keys = 1000, times = 20;
  const auto other = [](std::remove_const_t<decltype(name)> map, number key) {
    for (int twice = 0; twice < 2; ++twice) map->update(key, key, [](number a, number b) { return a < b ? b : a; });
  };
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  for (number i = 0; i < keys * times; ++i) {
    am::async(next, other, name, keys + i % keys);
    m.update(i % keys, 1, std::plus<>{});
    m.update(i % keys, 1, std::plus<>{});
  }
  am::fence();
  EXPECT_EQ(m.size(), 2 * keys);
  std::size_t wrong = 0;
  for (const auto& [key, value] : m.local()) wrong += value != (key < keys ? 2 * times * number(am::ranks()) : key);
  EXPECT_EQ(wrong, 0U);
}
RANK_TEST(bodies_that_update_by_another_operation_do_not_disturb_an_update) { update_while_bodies_do(64); }
RANK_TEST(bodies_that_update_do_not_disturb_places_that_grow) { update_while_bodies_do(4096); }

RANK_TEST(a_body_finds_the_part_of_a_rank_that_makes_it_late) {
  const am::rank_t last = am::ranks() - 1;
  const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (am::rank() == last && std::chrono::steady_clock::now() < late) am::poll();  // what others could have sent would run here
  am::unordered_map<number, number> m;
  const auto name = m.handle();
  am::async(last, [](std::remove_const_t<decltype(name)> map) { map->update(1, 1, std::plus<>{}); }, name);
  am::fence();
  EXPECT_EQ(m.find(1).get(), number(am::ranks()));
}

RANK_TEST(texts_are_keys_and_values) {
  am::unordered_map<std::string, std::string> m;
  std::map<std::string, std::string> oracle;
  const auto longer = [](std::string a, const std::string& b) { return a.size() < b.size() ? b : a; };
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (int i = 0; i < 4000; ++i) {
      const std::string key = (i % 2 == 0 ? "" : "a key that lies in memory of its own ") + std::to_string(i % 500);
      const std::string value(std::size_t((i * 7 + int(r) * 13) % 61), 'x');
      std::string& kept = oracle[key];
      kept = longer(kept, value);
      if (r == am::rank()) m.update(std::string_view(key), value, longer);
    }
  am::fence();
  EXPECT((everything<decltype(m), std::string, std::string>(m)) == oracle);
  EXPECT_EQ(m.find(std::string_view("0")).get(), oracle["0"]);
  EXPECT(!m.find("no such key").get().has_value());
  EXPECT(m.contains("2").get());
  EXPECT_EQ(m.count("2").get(), 1U);
}

RANK_TEST(values_of_any_sendable_type_travel) {
  am::unordered_map<std::pair<int, std::string>, std::vector<int>> m;
  const auto join = [](std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  for (int i = 0; i < 300; ++i) m.update(std::pair(i % 3, "k" + std::to_string(i % 50)), {i, int(am::rank())}, join);
  am::fence();
  EXPECT_EQ(m.size(), 150U);
  const auto found = m.find(std::pair(1, std::string("k1"))).get();
  EXPECT_EQ(found.has_value() ? found->size() : 0, std::size_t(am::ranks()) * 4);
}

RANK_TEST(a_visit_may_insert_elsewhere_and_the_fence_waits_for_it) {
  am::unordered_map<number, number> m;
  auto name = m.handle();
  if (am::rank() == 0) m.insert(1, 1);
  am::fence();
  // Each visit makes the next key, on whatever rank it lies.
  struct step {
    decltype(name) map;
    void operator()(number& value, number key) const {
      if (key >= 300) return;
      map->insert(key + 1, value + 1);
      map->visit(key + 1, *this, key + 1);
    }
  };
  if (am::rank() == 0) m.visit(1, step{name}, number(1));
  am::fence();
  EXPECT_EQ(m.size(), 300U);
  for (const auto& [key, value] : m.local()) EXPECT_EQ(key, value);
}

RANK_TEST(many_keys_are_looked_up_at_once) {
  am::unordered_map<number, number> m({.gather = 512});
  constexpr number keys = 5000;
  for (number k = number(am::rank()); k < keys; k += number(am::ranks())) m.insert(3 * k, k);
  am::fence();
  std::mt19937_64 random = dice(0, am::rank());
  std::vector<number> asked;
  for (int i = 0; i < 4000; ++i) asked.push_back(random() % (4 * keys));
  const auto found = m.find_range(asked);
  EXPECT_EQ(found.size(), asked.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < asked.size(); ++i)
    wrong += found[i] != (asked[i] % 3 == 0 && asked[i] < 3 * keys ? std::optional(asked[i] / 3) : std::nullopt);
  EXPECT_EQ(wrong, 0U);
  EXPECT(m.find_range(std::vector<number>()).empty());
  am::barrier();
}

RANK_TEST(a_bulk_search_finds_what_its_rank_has_said_before) {
  am::unordered_map<std::string, std::vector<int>> m;
  const auto text = [](int i) { return "a key of rank " + std::to_string(am::rank()) + ": " + std::to_string(i); };
  std::vector<std::string> asked;
  for (int i = 0; i < 300; ++i) {
    if (i % 2 == 0) m.insert(text(i), {am::rank(), i});
    asked.push_back(text(i));
  }
  const std::vector<std::string_view> views(asked.begin(), asked.end());
  std::vector<std::optional<std::vector<int>>> found(views.size(), std::vector<int>{7});
  m.find_range(views, found);
  for (int i = 0; i < 300; ++i)
    EXPECT(found[std::size_t(i)] == (i % 2 == 0 ? std::optional(std::vector{am::rank(), i}) : std::nullopt));
  am::fence();
}

RANK_TEST(a_bulk_search_asks_sets_and_parts_of_the_ranks) {
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  am::unordered_set<long> s(half);
  s.insert_range(std::views::iota(0L, 1000L));
  half.fence();
  const auto found = s.find_range(std::views::iota(990L, 1010L));
  for (long i = 0; i < 20; ++i) EXPECT(found[std::size_t(i)] == (i < 10 ? std::optional(990 + i) : std::nullopt));
  half.fence();
}

RANK_TEST(a_bulk_search_that_cannot_be_is_refused) {
  am::unordered_map<number, number> m;
  const std::vector<number> three = {1, 2, 3};
  std::vector<std::optional<number>> two(2);
  EXPECT_THROWS_SAYING(am::usage_error, "3 keys, and places for 2 answers", static_cast<void>(m.find_range(three, two)));
  {
    const auto loop = m.local();
    EXPECT_THROWS_SAYING(am::usage_error, "end the loop, and look them up then", static_cast<void>(m.find_range(three)));
  }
  am::fence();
}

RANK_TEST(a_two_way_call_with_a_function_tells_whether_the_key_is_there) {
  am::unordered_map<number, std::string> m;
  m.insert(number(am::rank()), "value");
  am::fence();
  const number last = number(am::ranks() - 1);
  EXPECT_EQ(m.call(last, [](const std::string& s, std::size_t more) { return s.size() + more; }, std::size_t(2)).get(), 7U);
  EXPECT(!m.call(last + 1, [](const std::string& s) { return s.size(); }).get().has_value());
  am::barrier();
  EXPECT(m.call(number(am::rank()), [](std::string& s) { s += "!"; }).get());
  EXPECT_EQ(m.find(number(am::rank())).get(), "value!");
}

RANK_TEST(one_way_calls_wait_for_a_loop_over_the_part) {
  am::unordered_map<number, number> m;
  for (number i = 0; i < 100; ++i) m.insert(i, 0);
  am::fence();
  {
    auto mine = m.local();
    const std::size_t before = mine.size();
    am::barrier();
    for (number i = 100; i < 2000; ++i) m.insert(i, 0);
    m.update(5, 1, std::plus<>{});
    m.visit(5, [](number& v) { v += 10; });
    EXPECT_THROWS(am::usage_error, m.find(5));
    am::poll();
    am::barrier();
    EXPECT_EQ(mine.size(), before);
    for (const auto& [key, value] : mine) EXPECT_EQ(value, 0U);
  }
  EXPECT(m.find(1999).get().has_value());  // what this rank said stands before what it asks
  am::fence();
  EXPECT_EQ(m.size(), 2000U);
  EXPECT_EQ(m.find(5).get(), number(am::ranks()) * 11);
}

RANK_TEST(a_visit_that_has_waited_for_a_loop_may_loop_itself) {
  am::unordered_map<number, number> m;
  const auto name = m.handle();
  const auto add_sum = [](number& value, std::remove_const_t<decltype(name)> map) {
    number sum = 0;
    for (const auto& each : map->local()) sum += each.second != 0;
    value += 1 + sum;
  };
  m.insert(number(am::rank()), 0);
  am::fence();
  {
    auto mine = m.local();
    am::barrier();
    if (am::rank() == 0)
      for (number key = 0; key < number(am::ranks()); ++key)
        for (int i = 0; i < 3; ++i) m.visit(key, add_sum, name);
    for (int i = 0; i < 3; ++i) am::poll(), am::barrier();
    for (const auto& [key, value] : mine) EXPECT_EQ(value, 0U);
  }
  am::fence();
  std::size_t wrong = 0;
  for (const auto& [key, value] : m.local()) wrong += value < 3;
  EXPECT_EQ(wrong, 0U);
}

RANK_TEST(a_visit_that_has_waited_for_a_loop_keeps_its_value_while_others_are_inserted) {
  am::unordered_map<number, number> m;
  const auto name = m.handle();
  const auto insert_many = [](number& value, std::remove_const_t<decltype(name)> map, number first) {
    for (number i = 0; i < 20000; ++i) map->insert(first + i, 1);
    value = 7;
  };
  const number own = number(am::rank());
  m.insert(own, 0);
  am::fence();
  {
    auto mine = m.local();
    am::barrier();
    m.visit(own, insert_many, name, 1000 + own * 20000);
    am::poll();
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(m.size(), std::size_t(am::ranks()) * 20001);
  EXPECT_EQ(m.find(own).get(), 7U);
  am::barrier();
}

RANK_TEST(a_fence_inside_a_loop_is_refused) {
  am::unordered_map<number, number> m;
  am::fence();
  {
    auto mine = m.local();
    EXPECT_THROWS(am::usage_error, am::fence());
  }
  am::fence();
}

RANK_TEST(a_container_of_a_part_of_the_ranks_works_like_that_of_all) {
  const am::team half = am::world().split(am::rank() % 2);
  am::unordered_map<number, number> m(half);
  for (number i = 0; i < 500; ++i) m.update(i, 1, std::plus<>{});
  half.fence();
  EXPECT_EQ(m.size(), 500U);
  std::size_t mine = 0;
  for (const auto& [key, value] : m.local()) {
    EXPECT_EQ(value, number(half.size()));
    EXPECT_EQ(m.rank_of(key), am::rank());
    ++mine;
  }
  EXPECT_EQ(half.all_reduce(mine, std::plus<>{}), 500U);
  for (number i = 0; i < 500; ++i) m.update(i + 250, 1, std::plus<>{});
  am::fence();  // of all ranks: completes it as well
  EXPECT_EQ(m.size(), 750U);
}

RANK_TEST(sets_hold_each_key_once) {
  am::unordered_set<std::string> s;
  for (int i = 0; i < 1000; ++i) s.insert("key " + std::to_string(i % 70));
  am::fence();
  EXPECT_EQ(s.size(), 70U);
  EXPECT(s.contains("key 3").get());
  EXPECT_EQ(s.find("key 3").get(), std::optional<std::string>("key 3"));
  am::barrier();
  s.erase("key 3");
  EXPECT(!s.contains("key 3").get());
  am::fence();
  EXPECT_EQ(s.size(), 69U);
  std::size_t mine = 0;
  for (const std::string& key : s.local()) mine += key.starts_with("key ");
  EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), 69U);
}

RANK_TEST(of_all_that_insert_a_key_one_is_told_that_it_is_new) {
  am::unordered_set<std::string> s;
  am::unordered_map<number, am::rank_t> m;
  std::size_t fresh = 0;
  std::vector<number> mine;
  for (number k = 0; k < 200; ++k) {
    fresh += !s.test_and_insert("key " + std::to_string(k)).get();
    if (!m.test_and_insert(k, am::rank()).get()) mine.push_back(k);
  }
  EXPECT_EQ(am::all_reduce(fresh, std::plus<>{}), 200U);
  EXPECT_EQ(am::all_reduce(mine.size(), std::plus<>{}), 200U);
  for (number k : mine) EXPECT_EQ(m.find(k).get(), std::optional<am::rank_t>(am::rank()));
  am::fence();
  EXPECT_EQ(s.size() + m.size(), 400U);
}

RANK_TEST(a_key_that_this_rank_has_just_inserted_is_not_new) {
  am::unordered_set<number> s;
  s.insert(number(am::rank()));
  EXPECT(s.test_and_insert(number(am::rank())).get());
  am::fence();
}

RANK_TEST(a_counting_set_counts) {
  am::counting_set<std::string> words;
  for (int i = 0; i < 600; ++i) words.insert(std::string_view(i % 3 == 0 ? "three" : "other"));
  am::fence();
  EXPECT_EQ(words.count("three").get(), 200 * am::ranks());
  EXPECT_EQ(words.count("none").get(), 0);
  EXPECT_EQ(words.size(), 2U);
}

RANK_TEST(what_an_operation_throws_comes_at_the_fence_and_the_rest_is_done) {
  am::unordered_map<number, number> m;
  const auto picky = [](number a, number b) -> number {
    if (a + b == 13) throw std::runtime_error("thirteen");
    return a + b;
  };
  if (am::rank() == 0)
    for (number i = 0; i < 100; ++i) m.insert(i, 6);
  am::fence();
  if (am::rank() == 0)
    for (number i = 0; i < 100; ++i) m.update(i, i == 50 ? 7 : 1, picky);
  try {
    am::fence();
    EXPECT(false);
  } catch (const am::remote_error& e) { EXPECT(std::string(e.text()).starts_with("thirteen")); }
  for (const auto& [key, value] : m.local()) EXPECT_EQ(value, key == 50 ? 6U : 7U);
  am::barrier();
}

RANK_TEST(a_value_that_cannot_be_sent_leaves_the_others_at_their_keys) {
  am::unordered_map<long, picky> m;
  am::unordered_map<picky, long> keys;
  if (am::rank() == 0)
    for (long i = 0; i < 40; ++i) {
      if (i == 7) {
        EXPECT_THROWS_SAYING(std::runtime_error, "cannot be sent", m.insert(i, picky{7}));
        EXPECT_THROWS_SAYING(std::runtime_error, "cannot be sent", keys.insert(picky{7}, i));
      } else {
        m.insert(i, picky{100 + i});
        keys.insert(picky{100 + i}, i);
      }
    }
  am::fence();
  for (long i = 0; i < 40; ++i) {
    EXPECT_EQ(m.find(i).get(), i == 7 ? std::nullopt : std::optional(picky{100 + i}));
    EXPECT_EQ(keys.find(picky{100 + i}).get(), i == 7 ? std::nullopt : std::optional<long>(i));
  }
  am::barrier();
}

RANK_TEST(a_sum_that_cannot_be_sent_is_told_once) {
  am::unordered_map<long, picky> m({.combine = 64});
  const auto add = [](const picky& a, const picky& b) { return picky{a.x + b.x}; };
  m.update(am::rank(), picky{6}, add);
  m.update(am::rank(), picky{1}, add);
  EXPECT_THROWS_SAYING(std::runtime_error, "cannot be sent", am::fence());
  m.update(am::rank(), picky{10}, add);
  am::fence();
  EXPECT_EQ(m.find(am::rank()).get(), std::optional(picky{10}));
  am::barrier();
}

RANK_TEST(a_value_that_cannot_be_read_keeps_no_other_back) {
  am::unordered_map<long, picky> m;
  am::unordered_map<picky, long> keys;
  am::unordered_map<long, std::vector<picky>> several;
  am::map<long, std::pair<int, picky>> in_order;
  const auto fill = [&](auto&& one) {
    if (am::rank() == 0)
      for (long i = 0; i < 40; ++i) one(i, picky{i == 3 ? 8 : 100 + i});
    EXPECT_THROWS_SAYING(am::remote_error, "cannot be read", am::fence());
  };
  fill([&](long i, picky p) { m.insert(i, p); });
  fill([&](long i, picky p) { keys.insert(p, i); });
  fill([&](long i, picky p) { several.append(i, p); });
  fill([&](long i, picky p) { in_order.insert(i, std::pair(1, p)); });
  for (long i = 0; i < 40; ++i) {
    const picky there{100 + i};
    EXPECT_EQ(m.find(i).get(), i == 3 ? std::nullopt : std::optional(there));
    EXPECT_EQ(keys.find(there).get(), i == 3 ? std::nullopt : std::optional(i));
    EXPECT_EQ(several.count(i).get(), i == 3 ? 0U : 1U);
    EXPECT_EQ(in_order.count(i).get(), i == 3 ? 0U : 1U);
  }
  am::barrier();
}

RANK_TEST(a_container_can_move) {
  am::unordered_map<number, number> a;
  const auto name = a.handle();
  a.insert(1, 2);
  am::unordered_map<number, number> b(std::move(a));
  b.insert(2, 3);
  name->insert(3, 4);
  am::fence();
  EXPECT_EQ(b.size(), 3U);
  am::unordered_map<number, number> c;
  c = std::move(b);
  EXPECT_EQ(c.size(), 3U);
  am::barrier();
}

RANK_TEST(a_map_that_has_been_moved_from_says_so) {
  am::unordered_map<int, int> a;
  a.insert(am::rank(), 1);
  am::unordered_map<int, int> b(std::move(a));
  am::fence();
  EXPECT_EQ(b.size(), std::size_t(am::ranks()));
  EXPECT_EQ(a.size(), 0U);
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", a.insert(1, 2));
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", static_cast<void>(a.find(1)));
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", static_cast<void>(a.local()));
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", static_cast<void>(a.handle()));
  a = std::move(b);
  EXPECT_EQ(a.find(0).get(), std::optional<int>(1));
  am::barrier();
}
