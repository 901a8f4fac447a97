// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <type_traits>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/keyed/unordered_multimap_inline.hpp"

namespace armilla {

/// A hash map, distributed over the ranks of a team, in which a key can have several values.
///
/// Use it to collect everything that belongs to a key. All values of a key are stored on one rank, in one vector. To only combine
/// them, an `unordered_map` with `update` sends and stores less; to group a whole input at once, call `group_by`.
///
///     am::unordered_multimap<std::string, long> lines;          // collective: all ranks construct it
///     lines.insert("word", 17);
///     am::fence();                                              // all insertions of all ranks are applied
///     const std::optional<std::vector<long>> where = lines.find("word").get();
///
/// **Kinds of operations, errors, lifetime** are those of `unordered_map`.
///
/// **Order.** As for `unordered_map`. In addition, the values that one rank inserts for a key stay in the order of its calls.
///
/// **Cost.** As for an `unordered_map<Key, std::vector<Value>>`. Keys with many values make no search slower.
///
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
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::mapped_type;
  using typename base::value_type;  // std::pair<const Key, Value>

  // ---- Construction (collective) ----

  /// Creates an empty map over all ranks of the job. It may have a name:
  /// `am::unordered_multimap<int, long> m(am::named("index"))`. Cost: one collective.
  unordered_multimap(const made_at& at = std::source_location::current())
      : unordered_multimap(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty map over all ranks, with options for buffering: see `hash_options` (armilla/hash.hpp).
  explicit unordered_multimap(const hash_options& options, const made_at& at = std::source_location::current())
      : unordered_multimap(world(), options, at) {}
  /// Creates an empty map over the members of `members`, whose fence completes its operations.
  explicit unordered_multimap(const team& members, const hash_options& options = {},
                              const made_at& at = std::source_location::current())
      : unordered_multimap(members, options, detail::making(at, typeid(unordered_multimap), members)) {}
  unordered_multimap(const team& members, const made_at& at) : unordered_multimap(members, hash_options(), at) {}

  // ---- Changes (one-way) ----

  /// Adds `value` to the values of `key`.
  using base::insert;  // template <class K> void insert(const K& key, const Value& value)

  /// Calls `insert` for each pair of a range.
  using base::insert_range;  // template <std::ranges::input_range R> void insert_range(R&& pairs)

  /// Removes all values of `key`; or, with `value`, those that are equal to it.
  using base::erase;  // template <class K> void erase(const K& key);
                      // template <class K> void erase(const K& key, const Value& value)

  /// Runs `f(value, arguments...)` on each value of `key`, on the rank of `key`. `f` is as for `unordered_map::visit`.
  using base::visit;  // template <class K, class F, class... A> void visit(const K& key, F&& f, A&&... arguments)

  // ---- Queries (two-way) ----

  /// Returns copies of all values of `key`, or `nullopt` if there is none.
  using base::find;  // template <class K> future<std::optional<std::vector<Value>>> find(const K& key) const

  /// Returns whether `key` has a value.
  using base::contains;  // template <class K> future<bool> contains(const K& key) const

  /// Returns how many values `key` has.
  using base::count;  // template <class K> future<std::size_t> count(const K& key) const

  /// Looks up many keys at once, as `unordered_map::find_range`: result i has the values of `keys[i]`, or `nullopt`.
  using base::find_range;  // template <class R> std::vector<std::optional<std::vector<Value>>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<...> into) const

  // ---- Local access (no message) ----

  /// Returns the number of values on all ranks, as of the last fence of the map's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the team over which the map is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores the values of `key`.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the elements that are stored on this rank: a `std::pair<const Key&, Value&>` for each value. Rules for the loop are
  /// those of `unordered_map::local`.
  using base::local;  // auto local() const

  /// Returns a small value that names the map on all members, as `unordered_map::handle`.
  using base::handle;  // handle_type handle() const

  // ---- Whole map (collective), as in unordered_map ----

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all elements to the file `path`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a map of this kind has saved, on any number of ranks.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy each rank's elements to the memory of the next `copies` ranks.
  using base::keep;  // void keep(int copies)

  /// Copies all elements to the ranks that `keep` chose: all of them, or none.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a map over `t` with the elements of the last checkpoint, after ranks were lost.
  [[nodiscard]] recovered<unordered_multimap, rank_t> recover(const team& t) {
    return base::template recover_as<unordered_multimap>(t);
  }

  // ---- For the library ----

  /// For algorithms: the elements of all members as a distributed range, as of the last fence. Each element is on its rank.
  using base::range;  // auto range() const

 protected:
  unordered_multimap(const team& members, const hash_options& options, const detail::making& how)
      : base(members, options, &how) {}
};

/// A hash set, distributed over the ranks of a team, in which a key can be several times.
///
/// Stores each distinct key once, with a count. So equal keys are combined before they are sent, and take no memory. Use it if
/// you need each key as often as it was inserted; if you need the counts, a `counting_set` is the map from keys to counts.
///
/// Kinds of operations, order, cost, errors and lifetime are those of `unordered_map`.
///
///     am::unordered_multiset<std::string> words;
///     words.insert("am");
///     words.insert("am", 5);                       // five times
///     words.erase("am", 2);                        // two of them
///     am::fence();
///     const std::size_t n = words.count("am").get();
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_multiset : public detail::hash_container<detail::multiset_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key>, "armilla: the keys of an unordered_multiset must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::multiset_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::value_type;  // Key

  // ---- Construction (collective) ----

  /// Creates an empty set over all ranks of the job. It may have a name: `am::unordered_multiset<int> s(am::named("words"))`.
  /// Cost: one collective.
  unordered_multiset(const made_at& at = std::source_location::current())
      : unordered_multiset(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty set over all ranks, with options for buffering: see `hash_options` (armilla/hash.hpp).
  explicit unordered_multiset(const hash_options& options, const made_at& at = std::source_location::current())
      : unordered_multiset(world(), options, at) {}
  /// Creates an empty set over the members of `members`, whose fence completes its operations.
  explicit unordered_multiset(const team& members, const hash_options& options = {},
                              const made_at& at = std::source_location::current())
      : unordered_multiset(members, options, detail::making(at, typeid(unordered_multiset), members)) {}
  unordered_multiset(const team& members, const made_at& at) : unordered_multiset(members, hash_options(), at) {}

  // ---- Changes (one-way) ----

  /// Inserts `key` `times` times. Throws `usage_error` for a negative number. `limit_error`, here or from the next fence, if a
  /// rank would have more than 2^63 - 1 keys.
  using base::insert;  // template <class K> void insert(const K& key, std::uint64_t times = 1)

  /// Calls `insert` for each element of a range.
  using base::insert_range;  // template <std::ranges::input_range R> void insert_range(R&& keys)

  /// Removes `key` completely; or, with `times`, that many times at most. Throws `usage_error` for a negative number.
  using base::erase;  // template <class K> void erase(const K& key);
                      // template <class K> void erase(const K& key, std::uint64_t times)

  // ---- Queries (two-way) ----

  /// Returns the stored key that equals `key`, or `nullopt`.
  using base::find;  // template <class K> future<std::optional<Key>> find(const K& key) const

  /// Returns whether `key` is in the set.
  using base::contains;  // template <class K> future<bool> contains(const K& key) const

  /// Returns how often `key` is in the set.
  using base::count;  // template <class K> future<std::size_t> count(const K& key) const

  /// Looks up many keys at once, as `unordered_map::find_range`.
  using base::find_range;  // template <class R> std::vector<std::optional<Key>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<std::optional<Key>> into) const

  // ---- Local access (no message) ----

  /// Returns the number of keys on all ranks, each as often as it was inserted, as of the last fence of the set's team or of all
  /// ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the team over which the set is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores `key`, whether or not `key` is in the set.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the keys on this rank, each as often as it was inserted, as a range of `const Key&`. Rules for the loop are those of
  /// `unordered_map::local`.
  using base::local;  // auto local() const

  /// Returns a small value that names the set on all members, as `unordered_map::handle`.
  using base::handle;  // handle_type handle() const

  // ---- Whole set (collective), as in unordered_map ----

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all keys to the file `path`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a set of this kind has saved, on any number of ranks.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy each rank's keys to the memory of the next `copies` ranks.
  using base::keep;  // void keep(int copies)

  /// Copies all keys to the ranks that `keep` chose: all of them, or none.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a set over `t` with the keys of the last checkpoint, after ranks were lost.
  [[nodiscard]] recovered<unordered_multiset, rank_t> recover(const team& t) {
    return base::template recover_as<unordered_multiset>(t);
  }

  // ---- For the library ----

  /// For algorithms: the keys of all members as a distributed range, as of the last fence. Each key is on its rank.
  using base::range;  // auto range() const

 protected:
  unordered_multiset(const team& members, const hash_options& options, const detail::making& how)
      : base(members, options, &how) {}
};

}  // namespace armilla
