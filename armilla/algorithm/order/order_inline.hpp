// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/compaction_inline.hpp"
#include "armilla/sort.hpp"

/// What selections and sorts by keys do inside.
namespace armilla::detail {

template <class Key, class Value>
struct keyed {
  Key key;
  Value value;
};

/// As `v` is dealt, where one placement says so and parts go from member to member; else in blocks.
template <class V>
distribution distributed_like(const V& v) {
  const common_places c = v.common();
  return c.where != nullptr && c.where->linear() ? as_in(v.members(), *c.where) : on(v.members());
}

template <class K, class V, class Comp>
void sort_keyed(const K& keys, const V& values, Comp& comp) {
  using pair = keyed<typename K::value_type, typename V::value_type>;
  const algorithm_call all("sort_by_key");
  require_one_team(values, keys);
  require_room("sort_by_key", keys.extent(), values.extent());
  require_room("sort_by_key", values.extent(), keys.extent());
  require_apart("sort_by_key", values, values.extent(), keys, keys.extent());
  array<pair> both(keys.extent(), distributed_like(keys));
  armilla::transform(keys.reading(), values.reading(), both, [](const auto& k, const auto& v) { return pair{k, v}; });
  armilla::stable_sort(both, std::ref(comp), &pair::key);
  armilla::transform(std::as_const(both), keys, &pair::key);
  armilla::transform(std::as_const(both), values, &pair::value);
}

/// Some elements of all, by no rule that an order of theirs could follow: each member shows those that it has.
template <class V>
std::vector<kept_as<typename V::value_type>> some_of(const V& v, std::size_t wanted) {
  std::vector<kept_as<typename V::value_type>> mine;
  for (std::size_t j = 0; j < wanted; ++j) {
    const std::size_t begin = v.extent() / wanted * j, width = v.extent() / wanted;
    std::uint64_t drawn = (j + 1) * 0x9e3779b97f4a7c15ULL;
    drawn = (drawn ^ (drawn >> 29)) * 0xbf58476d1ce4e5b9ULL;
    const std::size_t i = begin + std::size_t((drawn >> 32) % width);
    if (v.run_at(i).member == v.members().rank()) mine.push_back(element_at(v, i));
  }
  return v.members().all_gather_v(mine);
}

/// The two elements of a sample between which the nth of all surely is, but for bad luck.
template <class T>
struct bracket {
  std::optional<T> low, high;
  bracket(const std::vector<T>& sample, std::size_t nth, std::size_t n) {
    const double size = double(sample.size()), at = double(nth) / double(n) * size, margin = 2 * std::sqrt(size);
    if (at - margin >= 0) low = sample[std::size_t(at - margin)];
    if (at + margin < size) high = sample[std::size_t(at + margin)];
  }
};

/// So few elements are sorted instead.
inline constexpr std::size_t few_to_select = 4096;
/// After so many steps, too: one or two are enough, unless the order is not a strict weak one.
inline constexpr int most_steps = 8;

/// One step: three groups, those before, around and behind the nth. Returns where the second begins and ends.
template <class V, class Comp, class Proj>
std::pair<std::size_t, std::size_t> divide_around(const V& v, std::size_t nth, const char* operation, Comp& comp, Proj& proj) {
  using T = typename V::value_type;
  const team& t = v.members();
  algorithm_call why(operation, v);
  if (t.size() > 1) refuse_in_functions();
  enter(v);
  const element_order<T, Comp, Proj> comes_first(comp, proj, why);
  std::vector<kept_as<T>> sample = some_of(v, few_to_select / 2);
  sort_here(sample.data(), sample.size(), comes_first, false);
  const bracket<kept_as<T>> around(sample, nth, v.extent());
  const auto lists = collect<3>(v, operation, why, [&](const auto& c, std::size_t k) {
    const T e = c[k];
    return around.low && comes_first(e, *around.low) ? 0U : around.high && comes_first(*around.high, e) ? 2U : 1U;
  });
  std::size_t first = 0, ends[3];
  part_counts counts[3];
  for (std::size_t l = 0; l < 3; ++l) counts[l] = count_of_all(t, operation, why, lists[l].size());
  for (std::size_t l = 0; l < 3; ++l) {
    write_all(v, first, counts[l], lists[l].elements(), why);
    ends[l] = first += counts[l].all;
  }
  agree(t, operation, why);
  return {ends[0], ends[1]};
}

template <class V, class Comp, class Proj>
void select(const V& v, std::size_t nth, const char* operation, Comp& comp, Proj& proj) {
  std::size_t begin = 0, end = v.extent();
  if (nth >= end) return;
  for (int step = 0; end - begin > few_to_select && step < most_steps; ++step) {
    const auto [low, high] = divide_around(views::slice(v, begin, end), nth - begin, operation, comp, proj);
    const std::size_t from = begin;
    if (nth < from + low) {
      end = from + low;
    } else if (nth < from + high) {
      begin = from + low;
      end = from + high;
      break;
    } else {
      begin = from + high;
    }
  }
  sort_range(views::slice(v, begin, end), operation, false, comp, proj);
}

}  // namespace armilla::detail
