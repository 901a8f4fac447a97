// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/keyed/unordered_map_inline.hpp"

namespace armilla {

/// Keys and values, spread over the ranks of a team by the hash of the key. All members make it together, which is one meeting.
///
///     am::unordered_map<std::string, std::int64_t> count;
///     for (std::string_view w : am::read_words("text.txt").local()) count.update(w, 1, std::plus<>{});
///     am::fence();
///     const std::optional<std::int64_t> n = count.find("am").get();
///
/// Statements (`insert insert_or_assign try_emplace update append visit erase`) are complete at the next fence of the team or of
/// all ranks; questions (`find contains count call`) are futures. Those of one rank about one key take effect in their order, so
/// a rank reads its own updates; between keys and between ranks there is no order but the fence (docs/spec/order.md). Keys and
/// values are of any sendable type; a text is looked up by a string_view, and sent without a string being made.
///
/// Statements to a rank are gathered and travel packed; no word about each, no allocation at the receiver but that of new keys.
/// Cost: an update that meets another some 5 ns, else some 20 ns in a batch; a question a message each way. Memory: a slot a key,
/// 8/7 to 16/7 of them, and a byte each. Its end waits for nothing: what lies on this rank goes at the next fence of the team or
/// of all ranks, which still completes statements to it. Paper: STAPL, section 5 (pContainers).
template <class Key, class Value, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_map : public detail::hash_container<detail::map_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key> && sendable_value<Value>, "armilla: keys and values of an unordered_map must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::map_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using base::base;
  /// All elements of the last checkpoint, over the ranks of `t`, which `members().survivors()` gave. `gone` has the ranks of the
  /// job whose elements are gone: they are lost, and so are all that kept copies of them. What it gives is kept as this one, and
  /// has a checkpoint already. A collective of `t`; if a rank is lost meanwhile (rank_lost), all recover `x` again on the next
  /// team, so it takes the place of `x` at once: x = std::move(x.recover(t).container). Errors: as `recover` of an array. Cost:
  /// an insertion of each element, a checkpoint, fences.
  [[nodiscard]] recovered<unordered_map, rank_t> recover(const team& t) { return base::template recover_as<unordered_map>(t); }
};

/// Keys, spread over the ranks of a team by their hash: as `unordered_map` without values.
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_set : public detail::hash_container<detail::set_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key>, "armilla: the keys of an unordered_set must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::set_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using base::base;
  /// As of an unordered_map.
  [[nodiscard]] recovered<unordered_set, rank_t> recover(const team& t) { return base::template recover_as<unordered_set>(t); }
};

/// How often each key has been inserted: an unordered_map<Key, std::int64_t> in which equal keys meet before they travel.
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class counting_set : public unordered_map<Key, std::int64_t, Hash, Equal> {
  using base = unordered_map<Key, std::int64_t, Hash, Equal>;

 public:
  using base::base;
  /// As of an unordered_map.
  [[nodiscard]] recovered<counting_set, rank_t> recover(const team& t) { return base::template recover_as<counting_set>(t); }
  /// Statement: the key once more, or `times` more.
  template <class K>
  void insert(const K& key, std::int64_t times = 1) {
    base::update(key, times, std::plus<>{});
  }
  template <std::ranges::input_range R>
  void insert_range(R&& keys) {
    for (const auto& key : keys) insert(key);
  }
  /// Question: how often.
  template <class K>
  [[nodiscard]] future<std::int64_t> count(const K& key) const {
    return base::find(key).then([](const std::optional<std::int64_t>& n) { return n.value_or(0); });
  }
};

}  // namespace armilla
