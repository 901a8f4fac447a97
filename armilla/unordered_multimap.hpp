// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <type_traits>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/keyed/unordered_multimap_inline.hpp"

namespace armilla {

/// Keys and values, a key as often as it is inserted, spread over the ranks of a team by the hash of the key: in all else as
/// `unordered_map`. `find` gives the values of the key as a vector, or nothing; of those that one rank has inserted in its order.
/// `count` says how many; `size` counts elements. A loop over `local()` gives each pair.
///
///     am::unordered_multimap<std::string, long> lines;
///     lines.insert("word", 17);
///     am::fence();
///     const std::optional<std::vector<long>> where = lines.find("word").get();
///
/// Cost: as that of unordered_map<Key, std::vector<Value>>, whatever the keys: those that come often make no search longer.
/// Paper: STAPL, section 5 (pContainers).
template <class Key, class Value, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_multimap
    : public detail::hash_container<detail::multimap_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key> && sendable_value<Value>,
                "armilla: keys and values of an unordered_multimap must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  static_assert(!std::is_same_v<Value, bool>,
                "armilla: values of an unordered_multimap have an address each: give char for bool");
  using base = detail::hash_container<detail::multimap_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using base::base;
  /// As of an unordered_map.
  [[nodiscard]] recovered<unordered_multimap, rank_t> recover(const team& t) {
    return base::template recover_as<unordered_multimap>(t);
  }
};

/// Keys, each as often as it is inserted. Of equal ones one is kept, and how many there are: so equal keys meet before they
/// travel, and take no memory. `count` says how often a key is there, `size` how many there are of all, and a loop over `local()`
/// gives a key as often as it is there. (A `counting_set` is the map from keys to these numbers.)
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_multiset : public detail::hash_container<detail::multiset_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key>, "armilla: the keys of an unordered_multiset must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::multiset_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using base::base;
  /// As of an unordered_map.
  [[nodiscard]] recovered<unordered_multiset, rank_t> recover(const team& t) {
    return base::template recover_as<unordered_multiset>(t);
  }
};

}  // namespace armilla
