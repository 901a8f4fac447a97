// SPDX-License-Identifier: Apache-2.0
// Maps and sets, by hash and in order.
#include <optional>
#include <set>

#include "scenes.hpp"

namespace random_operations {
namespace {

template <class Key>
Key key_of(std::size_t k) {
  return made_of<Key>(long(k));
}

/// Operations of every member on its own keys, in any order; with `together`, updates of all keys.
template <class X, class Key, class Model>
void change_map(job& j, X& x, Model& model, int round, bool together) {
  for (std::size_t m = 0; m < j.members(); ++m) {
    dice d = j.of(m, round);
    const bool mine = m == j.me();
    for (int k = 0; k < 40; ++k) {
      const std::size_t number = d.below(60);
      const Key key = key_of<Key>(together ? number : number * j.members() + m);
      const long by = d.value();
      switch (together ? 0 : d.below(9)) {
        case 0:
          if (mine) x.update(key, by, std::plus<>{});
          if (!model.emplace(key, by).second) model[key] += by;
          break;
        case 1:
          if (mine) x.insert(key, by);
          model.emplace(key, by);
          break;
        case 2:
          if (mine) x.insert_or_assign(key, by);
          model[key] = by;
          break;
        case 3:
          if (mine) x.erase(key);
          model.erase(key);
          break;
        case 4:
          if (mine) x.visit(key, [](long& e, long n) { e = 3 * e + n; }, by);
          if (model.contains(key)) model[key] = 3 * model[key] + by;
          break;
        case 5:
          if (mine) expect(x.test_and_insert(key, by).get() == model.contains(key), "whether a key was there");
          model.emplace(key, by);
          break;
        case 6:
          if (mine) {
            const std::optional<long> now = x.call(key, [](long& e, long n) { return e += n; }, by).get();
            expect(now.has_value() == model.contains(key) && (!now || *now == model[key] + by), "what a call returns");
          }
          if (model.contains(key)) model[key] += by;
          break;
        case 7:
          if (mine) x.try_emplace(key, by);
          model.emplace(key, by);
          break;
        default:
          if (mine) {
            const std::optional<long> found = x.find(key).get();
            expect(found.has_value() == model.contains(key) && (!found || *found == model[key]),
                   "a value after calls of its rank");
          }
      }
    }
  }
}

template <class X, class Key, class Model>
void check_map(job& j, X& x, const Model& model) {
  j.t.fence();
  expect(x.size() == model.size(), "the number of keys");
  std::vector<std::pair<Key, long>> mine;
  for (const auto& [key, value] : x.local()) mine.emplace_back(key, value);
  expect(sorted_of_all(j.t, mine) == std::vector<std::pair<Key, long>>(model.begin(), model.end()), "keys and values");
  dice d = j.of(j.me(), -1);
  std::vector<Key> some;
  for (int k = 0; k < 30; ++k) some.push_back(key_of<Key>(d.below(60 * j.members())));
  const std::vector<std::optional<long>> found = x.find_range(some);
  for (std::size_t k = 0; k < some.size(); ++k) {
    const auto at = model.find(some[k]);
    expect(found[k] == (at == model.end() ? std::nullopt : std::optional(at->second)), "one of many values");
  }
  expect(x.contains(some[0]).get() == model.contains(some[0]), "whether a key is there");
  j.t.barrier();
}

/// What a container in order finds between keys.
template <class X, class Key, class Model>
void check_order(job& j, X& x, const Model& model) {
  dice d = j.of(j.me(), -2);
  Key low = key_of<Key>(d.below(60 * j.members())), high = key_of<Key>(d.below(60 * j.members()));
  if (high < low) std::swap(low, high);
  const auto some = x.between(low, high);
  auto at = model.lower_bound(low);
  for (const auto& e : some) {
    expect(at != model.end(), "no more elements between two keys");
    if constexpr (requires { e.first; })
      expect(e.first == at->first && e.second == at->second, "an element between two keys");
    else
      expect(e == *at, "a key between two keys");
    ++at;
  }
  expect(at == model.lower_bound(high), "all elements between two keys");
  const auto next = x.upper_bound(low).get();
  expect(next.has_value() == (model.upper_bound(low) != model.end()), "whether a greater key is there");
  std::size_t mine = 0;
  for ([[maybe_unused]] const auto& e : x.local()) ++mine;
  const std::vector<std::size_t> counts = j.t.all_gather(mine);
  expect(x.position() == std::accumulate(counts.begin(), counts.begin() + j.t.rank(), std::size_t{0}), "where a part begins");
}

/// Keys are dealt anew.
template <class X, class Key>
void deal_keys(job& j, X& x) {
  if (j.all.one_in(2)) return x.rebalance();
  std::vector<Key> some;
  dice d = j.of(j.me(), -3);
  for (int k = 0; k < 10; ++k) some.push_back(key_of<Key>(d.below(60 * j.members())));
  x.rebalance_like(some);
}

template <template <class...> class Map, class Key>
void maps(job& j) {
  using X = Map<Key, long>;
  X x(j.t);
  std::map<Key, long> model;
  for (int round = 0; round < j.rounds; ++round) {
    change_map<X, Key>(j, x, model, round, j.all.one_in(2));
    check_map<X, Key>(j, x, model);
    if constexpr (requires { x.rebalance(); }) {
      check_order<X, Key>(j, x, model);
      if (j.all.one_in(3)) deal_keys<X, Key>(j, x), check_map<X, Key>(j, x, model);
    }
  }
}

template <template <class...> class Set, class Key>
void sets(job& j) {
  using X = Set<Key>;
  X x(j.t);
  std::set<Key> model;
  for (int round = 0; round < j.rounds; ++round) {
    const bool together = j.all.one_in(2);
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (int k = 0; k < 40; ++k) {
        const std::size_t number = d.below(60), what = together ? 0 : d.below(4);
        const Key key = key_of<Key>(together ? number : number * j.members() + m);
        if (m == j.me()) {
          if (what == 0) x.insert(key);
          if (what == 1) x.erase(key);
          if (what == 2) expect(x.test_and_insert(key).get() == model.contains(key), "whether a key was there");
          if (what == 3) expect(x.contains(key).get() == model.contains(key), "a key after calls of its rank");
        }
        if (what == 1) model.erase(key);
        if (what == 0 || what == 2) model.insert(key);
      }
    }
    j.t.fence();
    expect(x.size() == model.size(), "the number of keys");
    std::vector<Key> mine;
    for (const auto& key : x.local()) mine.push_back(Key(key));
    expect(sorted_of_all(j.t, mine) == std::vector<Key>(model.begin(), model.end()), "the keys");
    if constexpr (requires { x.rebalance(); }) {
      check_order<X, Key>(j, x, model);
      if (j.all.one_in(3)) deal_keys<X, Key>(j, x);
    }
    j.t.barrier();
  }
}

template <class Key>
void multimaps(job& j) {
  am::unordered_multimap<Key, long> x(j.t);
  std::map<Key, std::vector<long>> model;
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (int k = 0; k < 40; ++k) {
        const Key key = key_of<Key>(d.below(20) * j.members() + m);
        const long value = long(d.below(5));
        const std::size_t what = d.below(8);
        const bool asks = d.one_in(4);
        if (what > 1) {
          if (m == j.me()) x.insert(key, value);
          model[key].push_back(value);
        } else if (what == 1) {
          if (m == j.me()) x.erase(key, value);
          std::erase(model[key], value);
        } else {
          if (m == j.me()) x.erase(key);
          model[key].clear();
        }
        if (m == j.me() && asks) expect(x.count(key).get() == model[key].size(), "how many values of a key");
      }
    }
    j.t.fence();
    std::size_t all = 0;
    for (const auto& [key, values] : model) {
      all += values.size();
      const std::optional<std::vector<long>> found = x.find(key).get();
      expect(found.has_value() != values.empty() && (!found || *found == values), "the values of a key");
    }
    expect(x.size() == all, "the number of values");
    j.t.barrier();
  }
}

template <class Key>
void multisets(job& j) {
  am::unordered_multiset<Key> x(j.t);
  am::counting_set<Key> counted(j.t);
  std::map<Key, std::size_t> model;
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (int k = 0; k < 60; ++k) {
        const Key key = key_of<Key>(d.below(40));
        const std::size_t times = 1 + d.below(3);
        if (m == j.me()) x.insert(key, times), counted.insert(key, std::int64_t(times));
        model[key] += times;
      }
    }
    j.t.fence();
    std::size_t all = 0;
    for (const auto& [key, n] : model) {
      all += n;
      expect(x.count(key).get() == n && counted.count(key).get() == std::int64_t(n), "how often a key is there");
    }
    expect(x.size() == all && counted.size() == model.size(), "the number of keys");
    j.t.barrier();
  }
}

template <class Key, class Value = void>
using by_hash = std::conditional_t<std::is_void_v<Value>, am::unordered_set<Key>,
                                   am::unordered_map<Key, std::conditional_t<std::is_void_v<Value>, int, Value>>>;
template <class Key, class Value = void>
using in_order =
    std::conditional_t<std::is_void_v<Value>, am::set<Key>, am::map<Key, std::conditional_t<std::is_void_v<Value>, int, Value>>>;

}  // namespace

const std::vector<named_scene> keys = {
    {"unordered_map", maps<by_hash, std::string>},  {"unordered_map_of_numbers", maps<by_hash, long>},
    {"map", maps<in_order, std::string>},           {"map_of_numbers", maps<in_order, long>},
    {"unordered_set", sets<by_hash, std::string>},  {"unordered_set_of_numbers", sets<by_hash, long>},
    {"set", sets<in_order, std::string>},           {"set_of_numbers", sets<in_order, long>},
    {"unordered_multimap", multimaps<std::string>}, {"unordered_multiset", multisets<long>}};

}  // namespace random_operations
