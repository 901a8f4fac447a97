// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>

#include "armilla/base/values/container_names.hpp"

namespace armilla {

/// How an ordered container buffers what it sends, and when it redistributes its keys. The same on all members.
///
///     am::map<long, double> m({.gather = 4096, .uneven = 2});
struct ordered_options {
  /// How many bytes of keys and values are buffered for a rank before they are sent.
  std::size_t gather = 8192;
  /// How many times the mean a member's number of keys may be before a fence redistributes them. 0: only `rebalance` does.
  double uneven = 1.5;
};

}  // namespace armilla

#include "armilla/container/keyed/map_inline.hpp"

namespace armilla {

/// A map with ordered keys that is distributed over the ranks of a team. Each rank stores the keys between two borders; the first
/// member has the least ones.
///
/// Use it for range queries and for a distributed sorted sequence that changes. If you only look up single keys, an
/// `unordered_map` is faster and needs no balancing.
///
///     am::map<std::string, long> price;                         // collective: all ranks construct it
///     price.rebalance_like(some_names);                         // collective: such keys are to come
///     for (const auto& [name, p] : offers) price.insert_or_assign(name, p);
///     am::fence();                                              // all insertions of all ranks are applied
///     for (const auto& [name, p] : price.between("a", "b")) show(name, p);
///
/// **Kinds of operations, errors and lifetime** are those of `unordered_map`. Updates are not combined before they are sent.
///
/// **Order.** `Less` orders the keys; it is a type without state. It compares strings as `std::string_view`. `local()` goes in
/// order, and the local elements of all members, one member after the other, are in order. Operations have the order of those of
/// an `unordered_map`; `between` is no snapshot, it sees each key as `find` would.
///
/// **Balance.** At first the first member has all keys. If a member has more than `ordered_options::uneven` times the mean, and
/// more than 256, a fence redistributes the keys, so that each member has equally many. Then elements move. Handles remain valid,
/// and the fence waits for loops of other fibers. Operations that other fibers and called functions begin during such a fence are
/// applied, but perhaps after later ones.
///
/// **Cost.** As for an `unordered_map`, plus about 100 ns for the search in a rank's tree.
///
/// Paper: STAPL, section 5 (pContainers); the tree: Bayer and McCreight, Organization and Maintenance of Large Ordered Indexes.
template <class Key, class Value, class Less /* = std::less<> */>
class map : public detail::ordered_container<detail::ordered_map_verbs<Key, Value, Less>> {
  static_assert(sendable_value<Key> && sendable_value<Value>, "armilla: keys and values of a map must be sendable");
  using base = detail::ordered_container<detail::ordered_map_verbs<Key, Value, Less>>;

 public:
  using typename base::element;      // std::pair<Key, Value>, an element outside of the map
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::mapped_type;
  using typename base::value_type;  // std::pair<const Key, Value>

  // ---- Construction (collective) ----

  /// Creates an empty map over all ranks of the job. It may have a name: `am::map<int, long> m(am::named("ages"))`.
  /// Cost: one collective.
  map(const made_at& at = std::source_location::current())
      : map(world(), ordered_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty map over all ranks, with options for buffering and balance.
  explicit map(const ordered_options& options, const made_at& at = std::source_location::current()) : map(world(), options, at) {}
  /// Creates an empty map over the members of `members`, whose fence completes its operations.
  explicit map(const team& members, const ordered_options& options = {}, const made_at& at = std::source_location::current())
      : map(members, options, detail::making(at, typeid(map), members)) {}
  map(const team& members, const made_at& at) : map(members, ordered_options(), at) {}
  /// Creates an empty map with a default, which `get` returns for a key that is not in the map. See `unordered_map`.
  template <class D>
    requires std::constructible_from<Value, D>
  explicit map(detail::map_default<D> otherwise, const team& members = world(), const ordered_options& options = {},
               const made_at& at = std::source_location::current())
      : map(members, options, at) {
    this->core_->missing.emplace(std::move(otherwise.value));
  }

  // ---- Changes (one-way), as in unordered_map ----

  /// Inserts `key` with `value` unless `key` is in the map.
  using base::insert;  // template <class K> void insert(const K& key, const Value& value)

  /// Inserts `key` with `value`, or replaces the value of `key`.
  using base::insert_or_assign;  // template <class K> void insert_or_assign(const K& key, const Value& value)

  /// Inserts `key` with `Value(arguments...)` unless `key` is in the map. The calling rank constructs the value, in any case.
  using base::try_emplace;  // template <class K, class... A> void try_emplace(const K& key, A&&... arguments)

  /// Replaces the value of `key` by `op(old, value)`, or inserts `value` if `key` is not in the map. `op` is of a type without
  /// captures.
  using base::update;  // template <class K, class Op> void update(const K& key, const Value& value, Op op)

  /// Appends `element` to the sequence that is the value of `key`, or to a new empty one.
  using base::append;  // template <class K> void append(const K& key, const typename Value::value_type& element)

  /// Runs `f(value, arguments...)` on the rank of `key`, if `key` is in the map. `f` must not wait.
  using base::visit;  // template <class K, class F, class... A> void visit(const K& key, F&& f, A&&... arguments)

  /// Inserts `key` with `value` if it is not in the map; otherwise runs `f(value of the key, arguments...)`, as `visit`.
  using base::insert_or_visit;  // template <class K, class F, class... A>
                                // void insert_or_visit(const K& key, const Value& value, F&& f, A&&... arguments)

  /// Inserts `key` with `value` if it is not in the map, and then runs `f(value of the key, arguments...)` in any case: a visit
  /// that creates.
  using base::insert_and_visit;  // template <class K, class F, class... A>
                                 // void insert_and_visit(const K& key, const Value& value, F&& f, A&&... arguments)

  /// Removes `key`. Does nothing if `key` is not in the map.
  using base::erase;  // template <class K> void erase(const K& key)

  /// Calls `insert` for each pair of a range.
  using base::insert_range;  // template <std::ranges::input_range R> void insert_range(R&& pairs)

  /// Calls `update` with `op` for each pair of a range.
  using base::update_range;  // template <std::ranges::input_range R, class Op> void update_range(R&& pairs, Op op)

  // ---- Queries (two-way) ----

  /// Returns a copy of the value of `key`, or `nullopt` if `key` is not in the map.
  using base::find;  // template <class K> future<std::optional<Value>> find(const K& key) const

  /// Returns a copy of the value of `key`, or the map's default, as `unordered_map::get`.
  using base::get;  // template <class K> future<Value> get(const K& key) const

  /// Returns whether `key` is in the map.
  using base::contains;  // template <class K> future<bool> contains(const K& key) const

  /// Returns 1 if `key` is in the map, else 0.
  using base::count;  // template <class K> future<std::size_t> count(const K& key) const

  /// Inserts `key` with `value` unless it is in the map, and returns whether it was.
  using base::test_and_insert;  // template <class K> future<bool> test_and_insert(const K& key, const Value& value)

  /// Runs `f(value, arguments...)` on the rank of `key`, and returns its result, as `unordered_map::call`.
  using base::call;  // template <class K, class F, class... A> auto call(const K& key, F&& f, A&&... arguments)

  /// Looks up many keys at once, as `unordered_map::find_range`.
  using base::find_range;  // template <class R> std::vector<std::optional<Value>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<std::optional<Value>> into) const

  /// Returns the first element whose key is not less than `key`, or `nullopt`. Cost: a message each way, and one more for each
  /// member without elements that follows.
  using base::lower_bound;  // template <class K> future<std::optional<element>> lower_bound(const K& key) const

  /// Returns the first element whose key is greater than `key`, or `nullopt`. Cost: as `lower_bound`.
  using base::upper_bound;  // template <class K> future<std::optional<element>> upper_bound(const K& key) const

  /// Returns all elements whose keys are not less than `low`, but less than `high`, in order. Returns when all have arrived.
  ///
  /// Not collective: each rank calls it for itself, and receives calls while it waits. Cost: a message each way for each rank
  /// that has such keys.
  using base::between;  // std::vector<element> between(const Key& low, const Key& high) const

  // ---- Local access (no message) ----

  /// Returns the number of keys on all ranks, as of the last fence of the map's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns how many keys of all ranks come before the first of this rank, as of the last fence.
  using base::position;  // std::size_t position() const

  /// Returns the team over which the map is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores `key`, whether or not `key` is in the map.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the keys and values that are stored on this rank, in order. You may change the values. Rules for the loop are those
  /// of `unordered_map::local`.
  using base::local;  // auto local() const

  /// Returns a pointer to the value of `key`, or null if this rank does not store it. The pointer is valid until the next call of
  /// the library.
  using base::find_local;  // template <class K> Value* find_local(const K& key) const

  /// Returns a small value that names the map on all members, as `unordered_map::handle`.
  using base::handle;  // handle_type handle() const

  // ---- Whole map (collective) ----

  /// Redistributes the keys so that each member has equally many. Fences the team, so all earlier operations are applied. Cost:
  /// the fence, three collectives, and the elements that move.
  using base::rebalance;  // void rebalance()

  /// Chooses the borders so that each member would have equally many of the keys in all members' samples. Call it before you
  /// insert many keys like these. Fences the team. Empty samples change nothing.
  using base::rebalance_like;  // template <std::ranges::input_range R> void rebalance_like(R&& sample)

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all keys and values to the file `path`, as `unordered_map::save`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a map of the same key and value types has saved, on any number of ranks, as
  /// `unordered_map::load`.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy each rank's elements to the memory of the next `copies` ranks, as `unordered_map::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all elements to the ranks that `keep` chose, as `unordered_map::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a map over `t` with the elements of the last checkpoint, after ranks were lost, as `unordered_map::recover`. Each
  /// member has equally many.
  [[nodiscard]] recovered<map, rank_t> recover(const team& t) { return base::template recover_as<map>(t); }

  // ---- For the library ----

  /// For algorithms: the elements of all members as a distributed range, as of the last fence. Each element is on its rank.
  using base::range;  // auto range() const

 protected:
  map(const team& members, const ordered_options& options, const detail::making& how) : base(members, options, &how) {}
};

/// A set with ordered keys that is distributed over the ranks of a team: a `map` without values.
///
/// Kinds of operations, order, balance, cost, errors and lifetime are those of `map`.
///
///     am::set<long, std::greater<>> falling;
///     falling.insert(7);
///     am::fence();
///     const std::optional<long> first = falling.lower_bound(100).get();
template <class Key, class Less /* = std::less<> */>
class set : public detail::ordered_container<detail::ordered_set_verbs<Key, Less>> {
  static_assert(sendable_value<Key>, "armilla: the keys of a set must be sendable");
  using base = detail::ordered_container<detail::ordered_set_verbs<Key, Less>>;

 public:
  using typename base::element;      // Key
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::value_type;  // Key

  // ---- Construction (collective) ----

  /// Creates an empty set over all ranks of the job. It may have a name: `am::set<int> s(am::named("seen"))`. Cost: one
  /// collective.
  set(const made_at& at = std::source_location::current())
      : set(world(), ordered_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty set over all ranks, with options for buffering and balance.
  explicit set(const ordered_options& options, const made_at& at = std::source_location::current()) : set(world(), options, at) {}
  /// Creates an empty set over the members of `members`, whose fence completes its operations.
  explicit set(const team& members, const ordered_options& options = {}, const made_at& at = std::source_location::current())
      : set(members, options, detail::making(at, typeid(set), members)) {}
  set(const team& members, const made_at& at) : set(members, ordered_options(), at) {}

  // ---- Changes (one-way) ----

  /// Inserts `key` unless it is in the set.
  using base::insert;  // template <class K> void insert(const K& key)

  /// Removes `key`. Does nothing if `key` is not in the set.
  using base::erase;  // template <class K> void erase(const K& key)

  /// Calls `insert` for each element of a range.
  using base::insert_range;  // template <std::ranges::input_range R> void insert_range(R&& keys)

  // ---- Queries (two-way) ----

  /// Returns the stored key that equals `key`, or `nullopt`.
  using base::find;  // template <class K> future<std::optional<Key>> find(const K& key) const

  /// Returns whether `key` is in the set.
  using base::contains;  // template <class K> future<bool> contains(const K& key) const

  /// Returns 1 if `key` is in the set, else 0.
  using base::count;  // template <class K> future<std::size_t> count(const K& key) const

  /// Inserts `key` unless it is in the set, and returns whether it was.
  using base::test_and_insert;  // template <class K> future<bool> test_and_insert(const K& key)

  /// Looks up many keys at once, as `unordered_map::find_range`.
  using base::find_range;  // template <class R> std::vector<std::optional<Key>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<std::optional<Key>> into) const

  /// Returns the first key that is not less than `key`, or `nullopt`.
  using base::lower_bound;  // template <class K> future<std::optional<Key>> lower_bound(const K& key) const

  /// Returns the first key that is greater than `key`, or `nullopt`.
  using base::upper_bound;  // template <class K> future<std::optional<Key>> upper_bound(const K& key) const

  /// Returns all keys that are not less than `low`, but less than `high`, in order, as `map::between`.
  using base::between;  // std::vector<Key> between(const Key& low, const Key& high) const

  // ---- Local access (no message) ----

  /// Returns the number of keys on all ranks, as of the last fence of the set's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns how many keys of all ranks come before the first of this rank, as of the last fence.
  using base::position;  // std::size_t position() const

  /// Returns the team over which the set is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores `key`, whether or not `key` is in the set.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the keys that are stored on this rank, in order. Rules for the loop are those of `unordered_map::local`.
  using base::local;  // auto local() const

  /// Returns a small value that names the set on all members, as `unordered_map::handle`.
  using base::handle;  // handle_type handle() const

  // ---- Whole set (collective), as in map ----

  /// Redistributes the keys so that each member has equally many. Fences the team.
  using base::rebalance;  // void rebalance()

  /// Chooses the borders so that each member would have equally many of the keys in all members' samples. Fences the team.
  using base::rebalance_like;  // template <std::ranges::input_range R> void rebalance_like(R&& sample)

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all keys to the file `path`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a set of the same key type has saved, on any number of ranks.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy each rank's keys to the memory of the next `copies` ranks, as `unordered_set::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all keys to the ranks that `keep` chose, as `unordered_set::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a set over `t` with the keys of the last checkpoint, after ranks were lost, as `unordered_map::recover`. Each
  /// member has equally many.
  [[nodiscard]] recovered<set, rank_t> recover(const team& t) { return base::template recover_as<set>(t); }

  // ---- For the library ----

  /// For algorithms: the keys of all members as a distributed range, as of the last fence. Each key is on its rank.
  using base::range;  // auto range() const

 protected:
  set(const team& members, const ordered_options& options, const detail::making& how) : base(members, options, &how) {}
};

// ---- Implementation only below ----

template <class Verbs>
ordered_options detail::ordered_container<Verbs>::options_of(const team&, const image_numbers& numbers) {
  return {.gather = std::size_t(numbers[1]), .uneven = std::bit_cast<double>(numbers[2])};
}

}  // namespace armilla
