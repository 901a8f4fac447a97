// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/sets/key_partitions.hpp"
#include "armilla/container/keyed/hash_table.hpp"

/// What `group_by` does. Where keys and values travel as bytes, the pairs go to the rank of their key in partitions, and a
/// partition makes its groups while it is in the cache. Each group is allocated once, in its final size. Other values meet on
/// their rank before they travel.
namespace armilla::detail {

/// Partitions of a table that has room for all keys, if none comes twice: what one of them inserts lies together there.
template <class Table>
key_partitions partitions_for_table(const team& t, std::size_t elements) {
  key_partitions how(t, elements);
  const auto bits = unsigned(std::countr_zero(Table::groups_for(elements / how.members))),
             of_partition = unsigned(std::countr_zero(how.each));
  how.shift = Table::group_shift + (bits < of_partition ? 0 : bits - of_partition);
  return how;
}

/// Makes the groups of one partition after the other.
template <class Table, class Hash, class Element>
class grouping {
  using key = decltype(Element::first);
  using value = decltype(Element::second);

 public:
  explicit grouping(Table& into) : into_(into) {}

  /// The groups of partition `p`, whose keys are in no other one.
  template <class Partitions>
  void add(Partitions& all, std::size_t p) {
    number_keys(all, p);
    make_room(all.partitions(), p);
    place_values(all, p);
    insert();
  }

 private:
  struct group {
    key of;
    std::uint64_t hash;
    std::size_t end;  // how many values it has; then where in `values_` the next one goes, and in the end its end
  };

  /// Gives each key a number in the order in which they come, and counts its values.
  template <class Partitions>
  void number_keys(Partitions& all, std::size_t p) {
    const std::size_t n = all.size_of(p);
    places_.assign(std::bit_ceil(2 * n | 1), 0);
    groups_.clear();
    number_.clear();
    number_.reserve(n);
    all.in(p, [&](const Element& e) {
      const std::uint64_t hash = Hash{}(e.first);
      number_.push_back(number_of(e.first, hash));
      ++groups_[number_.back()].end;
    });
  }
  std::uint32_t number_of(const key& of, std::uint64_t hash) {
    const std::size_t mask = places_.size() - 1;
    // Some bits are the same in the whole partition: the others are to count wherever they are.
    for (std::size_t i = std::size_t(hash * 0x9e3779b97f4a7c15 >> 32) & mask;; i = (i + 1) & mask) {
      if (places_[i] == 0) {
        groups_.push_back({of, hash, 0});
        return (places_[i] = std::uint32_t(groups_.size())) - 1;
      }
      if (const group& there = groups_[places_[i] - 1]; there.hash == hash && there.of == of) return places_[i] - 1;
    }
  }
  /// Keys are spread over the partitions evenly: once sixteen of them are here, it is known how many there will be.
  void make_room(std::size_t partitions, std::size_t p) {
    const std::size_t here = into_.size() + groups_.size();
    if (p >= 16 && std::has_single_bit(p)) into_.template reserve<Hash>(here * partitions / (p + 1));
  }
  template <class Partitions>
  void place_values(Partitions& all, std::size_t p) {
    std::size_t sum = 0;
    for (group& g : groups_) sum += std::exchange(g.end, sum);
    if (values_.size() < sum) values_.resize(sum);
    const std::uint32_t* next = number_.data();
    all.in(p, [&](const Element& e) { values_[groups_[*next++].end++] = e.second; });
  }
  void insert() {
    const value* first = values_.data();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (i + ahead < groups_.size()) into_.prefetch(groups_[i + ahead].hash);
      const group& g = groups_[i];
      const value* const end = values_.data() + g.end;
      into_.template obtain<Hash>(g.of, g.hash, [&] { return typename Table::mapped(first, end); });
      first = end;
    }
  }

  static constexpr std::size_t ahead = 16;
  Table& into_;
  std::vector<std::uint32_t> places_, number_;  // of a hash: the number of its key, plus 1; of each pair
  std::vector<group> groups_;
  std::vector<value> values_;
};

/// Whether values of a key can travel in partitions.
template <class Map>
concept groups_of_bytes =
    trivially_sendable<typename Map::key_type> && trivially_sendable<typename Map::mapped_type::value_type> &&
    std::default_initializable<typename Map::mapped_type::value_type> &&
    !std::is_same_v<typename Map::mapped_type::value_type, bool>;

template <class Map, class R, class Key, class Value>
void group_in_partitions(R& items, Map& all, const Key& key, const Value& value) {
  algorithm_call why("group_by");
  const team& t = all.members();
  using pairs = partitioned<typename Map::key_type, typename Map::mapped_type::value_type>;
  using table = typename Map::part_type::table_type;
  auto mine = pairs_of<typename pairs::element>(items, why, key, value);
  count_elements(mine.size());
  expect_work(mine.size(), "elements");
  const std::size_t elements = agree(t, "group_by", why, mine.size(), std::plus<>{});
  pairs came(t, "group_by", partitions_for_table<table>(t, elements), std::move(mine), why);
  try {
    grouping<table, typename Map::hasher, typename pairs::element> groups(all.table_here());
    for (std::size_t p = 0; p < came.partitions(); ++p) groups.add(came, p);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  t.fence();
  agree(t, "group_by", why);
}

/// Values of a rank that wait for others with their key, so that the key travels once. Where most keys come once, none waits.
template <class Map>
class waiting_groups {
  using key = typename Map::key_type;
  using values = typename Map::mapped_type;

 public:
  explicit waiting_groups(Map& into) : into_(into) {}

  template <class K>
  void add(const K& given, typename values::value_type value) {
    if (none_waits_) return into_.append(given, value);
    auto&& of = as_key(given);
    here_.template obtain<typename Map::hasher>(of, typename Map::hasher{}(of), [] { return values(); })
        .place->second.push_back(std::move(value));
    if (++seen_ == enough_to_judge && here_.size() * 8 > seen_ * 7) {
      none_waits_ = true;
      send();
    }
  }
  void send() {
    for (const auto& [of, all] : here_) into_.append_all(of, all);
    here_.clear();
  }

 private:
  static constexpr std::size_t enough_to_judge = 1 << 16;

  template <class K>
  static decltype(auto) as_key(const K& given) {
    if constexpr (std::is_same_v<K, key> || (std::is_same_v<key, std::string> && text_like<K>))
      return (given);
    else
      return key(given);
  }
  Map& into_;
  typename Map::part_type::table_type here_;
  std::size_t seen_ = 0;
  bool none_waits_ = false;
};

template <class Map, class R, class Key, class Value>
void group_before_sending(R& items, Map& all, Key& key, Value& value) {
  using element = typename Map::mapped_type::value_type;
  waiting_groups<Map> waiting(all);
  each_then_fence(
      items, all.members(), "group_by", [&](auto&& e) { waiting.add(std::invoke(key, e), element(std::invoke(value, e))); },
      [&] { waiting.send(); });
}

}  // namespace armilla::detail
