// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <ranges>
#include <utility>

#include "armilla/container/keyed/multi_table.hpp"
#include "armilla/unordered_map.hpp"

namespace armilla::detail {

template <class Key, class Value, class Hash, class Equal>
class multimap_verbs : public hash_verbs<Key, Value, Hash, Equal, multimap_table<Key, Value, Equal>> {
  using base = hash_verbs<Key, Value, Hash, Equal, multimap_table<Key, Value, Equal>>;
  using typename base::part;

 protected:
  using base::core_;

 public:
  using mapped_type = Value;
  static constexpr saved_kind saved_as = saved_kind::unordered_multimap;

  /// One-way call: one more element.
  template <class K = Key>
  void insert(const K& key, const Value& value) {
    core_->template state<add_verb>(key, value);
  }
  /// `insert` of each pair of a range.
  template <std::ranges::input_range R>
  void insert_range(R&& pairs) {
    for (const auto& [key, value] : pairs) insert(key, value);
  }
  /// One-way call: removes all elements of the key.
  template <class K = Key>
  void erase(const K& key) {
    base::erase(key);
  }
  /// One-way call: removes the elements of the key whose value is equal.
  template <class K = Key>
  void erase(const K& key, const Value& value) {
    core_->template state<take_verb>(key, value);
  }
  /// One-way call: runs `f(value, arguments...)` on each value of the key, on the key's rank. `f` and the arguments travel as
  /// those of `async`; it may change the value and send anything, but not wait.
  template <class K = Key, class F, class... A>
  void visit(const K& key, F&& f, A&&... arguments) {
    core_->order.begin();
    const object_ref<part> there = core_->reached(key);
    async(there.rank(), to_completion(visiting<part, false>(there, f, "visit")), Key(key), std::forward<A>(arguments)...);
  }

 protected:
  using base::base;
};

template <class Key, class Hash, class Equal>
class multiset_verbs : public hash_verbs<Key, std::uint64_t, Hash, Equal, multiset_table<Key, Equal>> {
  using base = hash_verbs<Key, std::uint64_t, Hash, Equal, multiset_table<Key, Equal>>;

 protected:
  using base::core_;

 public:
  static constexpr saved_kind saved_as = saved_kind::unordered_multiset;

  /// One-way call: the key once more, or `times` more. Errors: usage_error for a negative number; limit_error, here or at the
  /// fence, where more than 2^63 - 1 elements would lie on a rank.
  template <class K = Key>
  void insert(const K& key, std::uint64_t times = 1) {
    if (looks_negative(times)) [[unlikely]]
      throw_negative_times("unordered_multiset::insert", times);
    if (times != 0) core_->template update<add_times>(key, times);
  }
  template <std::ranges::input_range R>
  void insert_range(R&& keys) {
    for (const auto& key : keys) insert(key);
  }
  /// One-way call: removes the key, however often it is there.
  template <class K = Key>
  void erase(const K& key) {
    base::erase(key);
  }
  /// One-way call: removes the key `times` times, or as often as it is there. usage_error for a negative number.
  template <class K = Key>
  void erase(const K& key, std::uint64_t times) {
    if (looks_negative(times)) [[unlikely]]
      throw_negative_times("unordered_multiset::erase", times);
    core_->template state<take_verb>(key, times);
  }

 protected:
  using base::base;
};

}  // namespace armilla::detail
