// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/keyed/unordered_map_inline.hpp"

namespace armilla {

/// A hash map that is distributed over the ranks of a team. The hash of a key determines the rank that stores it.
///
/// Use it for counting, grouping and removing duplicates, and as a distributed key-value store. If the keys are the integers from
/// 0 to n - 1, use a `vector`. If you need the keys in order, use a `map`; if a key has several values, an
/// `unordered_multimap`.
///
///     am::unordered_map<std::string, std::int64_t> count;       // collective: all ranks construct it
///     for (std::string_view word : am::read_words("text.txt").local()) count.update(word, 1, std::plus<>{});
///     am::fence();                                              // all updates of all ranks are applied
///     const std::optional<std::int64_t> n = count.find("am").get();
///
/// **Kinds of operations.**
/// - *One-way* (`insert`, `insert_or_assign`, `try_emplace`, `update`, `append`, `visit`, `erase`): return at once. They are
///   complete at the next fence of the map's team or of all ranks.
/// - *Two-way* (`find`, `get`, `contains`, `count`, `test_and_insert`, `call`): return a future. `find_range` waits for its
/// results.
/// - *Local* (`size`, `local`, `find_local`, `rank_of`): send no message.
/// - *Collective* (construction, `save`, `load`, `keep`, `checkpoint`, `recover`): all members of the team call them.
///
/// **Keys and values.** Both are of any sendable type. Keys are compared by `Equal` and hashed by `Hash` (armilla/hash.hpp). A
/// key may be given as anything from which a `Key` can be constructed. A `std::string_view` or a literal needs no `std::string`:
/// one-way operations send its characters.
///
/// **Order.** All operations on one key, from all ranks, take effect in one order, which contains the order of each rank. So a
/// rank reads its own updates. Only a fence orders operations on different keys. docs/spec/order.md has the details.
///
/// **Cost.** An `update` takes about 20 ns, or about 5 ns if it is combined with an earlier update of the same key. One-way
/// operations are buffered for each rank and sent in batches; the receiver allocates memory for new keys only. A two-way
/// operation takes a message each way, about 1,000 ns; `find_range` takes 40 to 70 ns for each key. Each rank's table has 1.14 to
/// 2.29 slots for each key, and one more byte for each slot.
///
/// **Errors.** Throws `usage_error` if the map was moved from (only `size` and `empty` are then valid), and from a two-way
/// operation or a fence inside a loop over `local()` in the same fiber. If members construct maps of different types, the team's
/// next collective throws `usage_error`. If the `op` of `update` or the function of `visit` throws, the next fence throws a
/// `remote_error`. Throws `limit_error` if a table cannot grow because memory is short.
///
/// **Lifetime.** The destructor does not block. The rank's elements are freed at the next fence of the team or of all ranks,
/// which still completes one-way operations on them. All members must destroy the map between the same two fences.
///
/// Paper: STAPL, section 5 (pContainers).
template <class Key, class Value, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_map : public detail::hash_container<detail::map_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key> && sendable_value<Value>, "armilla: keys and values of an unordered_map must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::map_verbs<Key, Value, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::mapped_type;
  using typename base::value_type;  // std::pair<const Key, Value>

  // ---- Construction (collective) ----

  /// Creates an empty map over all ranks of the job. It may have a name:
  /// `am::unordered_map<int, long> m(am::named("ages"))`. Cost: one collective.
  unordered_map(const made_at& at = std::source_location::current())
      : unordered_map(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty map over all ranks, with options for buffering: see `hash_options` (armilla/hash.hpp).
  explicit unordered_map(const hash_options& options, const made_at& at = std::source_location::current())
      : unordered_map(world(), options, at) {}
  /// Creates an empty map that is distributed over the team `members`. A fence of that team completes one-way operations on the
  /// map.
  explicit unordered_map(const team& members, const hash_options& options = {},
                         const made_at& at = std::source_location::current())
      : unordered_map(members, options, detail::making(at, typeid(unordered_map), members)) {}
  unordered_map(const team& members, const made_at& at) : unordered_map(members, hash_options(), at) {}
  /// Creates an empty map with a default, which `get` returns for a key that is not in the map. All members pass the same
  /// default. It is not saved to files. A map that is recovered, rebalanced or shrunk keeps it.
  ///
  ///     am::unordered_map<std::string, double> price(am::default_value(-1.0));
  ///     const double p = price.get("unobtainium").get();        // -1, and the map is still empty
  template <class D>
    requires std::constructible_from<Value, D>
  explicit unordered_map(detail::map_default<D> otherwise, const team& members = world(), const hash_options& options = {},
                         const made_at& at = std::source_location::current())
      : unordered_map(members, options, at) {
    this->core_->missing.emplace(std::move(otherwise.value));
  }

  // ---- Changes (one-way) ----

  /// Inserts `key` with `value` unless `key` is in the map.
  using base::insert;  // template <class K> void insert(const K& key, const Value& value)

  /// Inserts `key` with `value`, or replaces the value of `key`.
  using base::insert_or_assign;  // template <class K> void insert_or_assign(const K& key, const Value& value)

  /// Inserts `key` with `Value(arguments...)` unless `key` is in the map. The calling rank constructs the value, in any case.
  using base::try_emplace;  // template <class K, class... A> void try_emplace(const K& key, A&&... arguments)

  /// Replaces the value of `key` by `op(old, value)`, or inserts `value` if `key` is not in the map.
  ///
  /// `op` must be associative and commutative, and of a type without captures. Updates of one key by one `op` are combined on the
  /// calling rank before they are sent, as far as `hash_options::combine` allows. If `op` throws while it combines there,
  /// `update` throws that; if it throws on the key's rank, the next fence does.
  ///
  ///     am::unordered_map<std::string, double> lowest;
  ///     lowest.update("copper", 9.5, [](double a, double b) { return a < b ? a : b; });
  using base::update;  // template <class K, class Op> void update(const K& key, const Value& value, Op op)

  /// Appends `element` to the sequence that is the value of `key`, or to a new empty one. For maps to sequences, such as
  /// `unordered_map<K, std::vector<T>>`. Only the element is sent. Elements from one rank stay in the order of the calls.
  using base::append;  // template <class K> void append(const K& key, const typename Value::value_type& element)

  /// Runs `f(value, arguments...)` on the rank of `key`, if `key` is in the map.
  ///
  /// `f` and the arguments are sent as those of `async`. `f` gets a reference to the value. It may change the value and send
  /// anything, also to this map, but it must not wait. With one parameter more it is called as `f(key, value, arguments...)`. The
  /// next fence throws what `f` throws.
  ///
  ///     am::unordered_map<long, std::string> names;
  ///     names.visit(7, [](std::string& name, int n) { name.append(std::size_t(n), '!'); }, 3);
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
  ///
  /// The result reflects all earlier operations of this rank on `key`, and all operations that any rank issued before the last
  /// fence.
  using base::find;  // template <class K> future<std::optional<Value>> find(const K& key) const

  /// Returns a copy of the value of `key`. If `key` is not in the map, returns the default that the constructor got, or
  /// `Value()`, and inserts nothing. Throws `usage_error` if there is no default and `Value` has no default constructor.
  /// Otherwise it is as `find`.
  using base::get;  // template <class K> future<Value> get(const K& key) const

  /// Returns whether `key` is in the map.
  using base::contains;  // template <class K> future<bool> contains(const K& key) const

  /// Returns 1 if `key` is in the map, else 0.
  using base::count;  // template <class K> future<std::size_t> count(const K& key) const

  /// Inserts `key` with `value` if `key` is not in the map. Returns true if `key` was already in the map, and false if this call
  /// inserted it (the opposite of `std::unordered_map::insert`). If several callers insert the same new key, exactly one of them
  /// gets false, so a search by many ranks continues from each state once.
  using base::test_and_insert;  // template <class K> future<bool> test_and_insert(const K& key, const Value& value)

  /// Runs `f(value, arguments...)` on the rank of `key`, and returns its result.
  ///
  /// Returns a `future<std::optional<R>>`, whose value is `nullopt` if `key` is not in the map. If `f` returns nothing, returns a
  /// `future<bool>`: whether `key` is in the map. `f` is as for `visit`. If `f` throws, `get()` throws a `remote_error`.
  ///
  ///     am::unordered_map<long, std::string> names;
  ///     const std::optional<std::size_t> length = names.call(7, [](const std::string& name) { return name.size(); }).get();
  using base::call;  // template <class K, class F, class... A> auto call(const K& key, F&& f, A&&... arguments)

  /// Looks up many keys at once: result i is the value of `keys[i]`, or `nullopt`. Returns when all results have arrived.
  ///
  /// The second form writes the results into `into`, which has as many elements as `keys` (else `usage_error`). Not collective:
  /// each rank calls it for itself. Keys on one rank are sent together. The rank receives calls while it waits.
  ///
  ///     am::unordered_map<long, double> price;
  ///     const std::vector<long> wanted = {3, 4};
  ///     const std::vector<std::optional<double>> found = price.find_range(wanted);
  using base::find_range;  // template <class R> std::vector<std::optional<Value>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<std::optional<Value>> into) const

  // ---- Local access (no message) ----

  /// Returns the number of keys on all ranks, as of the last fence of the map's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the team over which the map is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores `key`, whether or not `key` is in the map.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the keys and values that are stored on this rank, as a range of `std::pair<const Key, Value>&`.
  ///
  /// You may change the values. Incoming one-way operations are deferred until the loop ends. So a two-way operation on this map
  /// or a fence inside the loop could never complete, and throws `usage_error`.
  ///
  ///     am::unordered_map<long, double> heat;
  ///     double sum = 0;
  ///     for (auto& [key, value] : heat.local()) sum += (value *= 2);
  using base::local;  // auto local() const

  /// Returns a pointer to the value of `key`, or null if this rank does not store it. The pointer is valid until the next call of
  /// the library.
  using base::find_local;  // template <class K> Value* find_local(const K& key) const

  /// Returns a small value that names the map on all members. Called functions use it to reach the map: `h->update(...)`.
  ///
  /// `h->` has all operations but the collective ones. `usage_error` on a rank that is not a member, or after the map's end
  /// there.
  ///
  ///     am::unordered_map<long, long> seen;
  ///     am::async(0, [](am::unordered_map<long, long>::handle_type h, long key) { h->insert(key, 1); }, seen.handle(), 5);
  ///     am::fence();
  using base::handle;  // handle_type handle() const

  // ---- Whole map (collective) ----

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all keys and values to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first, so all earlier operations are saved. Operations of called functions wait until it ends. The file
  /// replaces an existing one only when it is complete. Throws `usage_error` on all members if writing fails. Cost: each member
  /// marshals its elements twice, first to know their size, and writes pieces of 1 MiB.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a map of the same key and value types has saved, on any number of ranks.
  ///
  /// Fences the team. Handles remain valid. Each member reads a share of the file. Throws `usage_error` on all members if the
  /// file is damaged or has another kind of content; the map is then unchanged.
  using base::load;  // void load(const std::string& path)

  /// Sets the number of ranks to which `checkpoint` copies each rank's elements: the next `copies` ranks of the team. `recover`
  /// reads the copies after a rank is lost (docs/guide/death.md). Sends nothing. Throws `usage_error` if `copies` is less than 1.
  using base::keep;  // void keep(int copies)

  /// Copies all elements to the ranks that `keep` chose: all of them, or none.
  ///
  /// Fences the team first. `mark` is the same on all members; `recover` returns it with the elements. Throws `limit_error` on
  /// all members if there is no room; the previous checkpoint then remains. Cost: each rank's elements are marshaled, and copied
  /// `copies` times.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a map over `t` with the elements of the last checkpoint, after ranks were lost.
  ///
  /// `members().survivors()` must have returned `t`; all members of `t` call this. `gone` of the result has the ranks of the job
  /// whose elements are lost, because all ranks with copies of them are lost, too. The new map is replicated as this one was, and
  /// has a checkpoint. If another rank is lost during the call, this throws `rank_lost`, on some ranks or on all; then all
  /// survivors call `recover` again on the original map `x`, with the next team. So assign the result at once: `x =
  /// std::move(x.recover(t).container)`. Other errors are those of `array::recover`. Cost: an insertion of each element, a
  /// checkpoint, and fences.
  [[nodiscard]] recovered<unordered_map, rank_t> recover(const team& t) { return base::template recover_as<unordered_map>(t); }

  // ---- For the library ----

  /// For algorithms: the elements of all members as a distributed range, as of the last fence. Each element is on its rank.
  using base::range;  // auto range() const

 protected:
  unordered_map(const team& members, const hash_options& options, const detail::making& how) : base(members, options, &how) {}
};

/// A hash set that is distributed over the ranks of a team: an `unordered_map` without values.
///
/// Kinds of operations, order, cost, errors and lifetime are those of `unordered_map`.
///
///     am::unordered_set<std::string> seen;
///     seen.insert("a word");
///     am::fence();
///     const bool is_there = seen.contains("a word").get();
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class unordered_set : public detail::hash_container<detail::set_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>> {
  static_assert(sendable_value<Key>, "armilla: the keys of an unordered_set must be sendable");
  static_assert(detail::require_hash<Key, Hash, Equal>());
  using base = detail::hash_container<detail::set_verbs<Key, detail::key_hash<Key, Hash, Equal>, Equal>>;

 public:
  using typename base::handle_type;  // see handle()
  using typename base::key_type;
  using typename base::value_type;  // Key

  // ---- Construction (collective) ----

  /// Creates an empty set over all ranks of the job. It may have a name: `am::unordered_set<int> s(am::named("seen"))`.
  /// Cost: one collective.
  unordered_set(const made_at& at = std::source_location::current())
      : unordered_set(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates an empty set over all ranks, with options for buffering: see `hash_options` (armilla/hash.hpp).
  explicit unordered_set(const hash_options& options, const made_at& at = std::source_location::current())
      : unordered_set(world(), options, at) {}
  /// Creates an empty set that is distributed over the team `members`. A fence of that team completes one-way operations on the
  /// set.
  explicit unordered_set(const team& members, const hash_options& options = {},
                         const made_at& at = std::source_location::current())
      : unordered_set(members, options, detail::making(at, typeid(unordered_set), members)) {}
  unordered_set(const team& members, const made_at& at) : unordered_set(members, hash_options(), at) {}

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

  /// Inserts `key` if it is not in the set. Returns true if `key` was already in the set, and false if this call inserted it. If
  /// several callers insert the same new key, exactly one of them gets false, so a search by many ranks continues from each state
  /// once.
  using base::test_and_insert;  // template <class K> future<bool> test_and_insert(const K& key)

  /// Looks up many keys at once, as `unordered_map::find_range`.
  using base::find_range;  // template <class R> std::vector<std::optional<Key>> find_range(const R& keys) const;
                           // template <class R> void find_range(const R& keys, std::span<std::optional<Key>> into) const

  // ---- Local access (no message) ----

  /// Returns the number of keys on all ranks, as of the last fence of the set's team or of all ranks.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the team over which the set is distributed.
  using base::members;  // const team& members() const

  /// Returns the rank of the job that stores `key`, whether or not `key` is in the set.
  using base::rank_of;  // template <class K> rank_t rank_of(const K& key) const

  /// Returns the keys that are stored on this rank, as a range of `const Key&`. Rules for the loop are those of
  /// `unordered_map::local`.
  using base::local;  // auto local() const

  /// Returns a small value that names the set on all members, as `unordered_map::handle`.
  using base::handle;  // handle_type handle() const

  // ---- Whole set (collective), as in unordered_map ----

  /// Removes all elements. Fences the team twice, so what was inserted before is removed, too. Handles remain valid.
  using base::clear;  // void clear()

  /// Writes all keys to the file `path`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the content by that of a file that a set of the same key type has saved, on any number of ranks.
  using base::load;  // void load(const std::string& path)

  /// Sets the number of ranks to which `checkpoint` copies each rank's keys: the next `copies` ranks of the team.
  using base::keep;  // void keep(int copies)

  /// Copies all keys to the ranks that `keep` chose: all of them, or none.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a set over `t` with the keys of the last checkpoint, after ranks were lost.
  [[nodiscard]] recovered<unordered_set, rank_t> recover(const team& t) { return base::template recover_as<unordered_set>(t); }

  // ---- For the library ----

  /// For algorithms: the keys of all members as a distributed range, as of the last fence. Each key is on its rank.
  using base::range;  // auto range() const

 protected:
  unordered_set(const team& members, const hash_options& options, const detail::making& how) : base(members, options, &how) {}
};

/// Counts how often each key was inserted: an `unordered_map<Key, std::int64_t>` whose `insert` adds to a count.
///
/// Equal keys are combined on the calling rank before they are sent. All operations of `unordered_map` work, on the counts.
///
///     am::counting_set<std::string> words;
///     words.insert("am");
///     am::fence();
///     const std::int64_t n = words.count("am").get();
template <class Key, class Hash /* = hash */, class Equal /* = std::equal_to<> */>
class counting_set : public unordered_map<Key, std::int64_t, Hash, Equal> {
  using base = unordered_map<Key, std::int64_t, Hash, Equal>;

 public:
  /// Creates an empty set of counts. The arguments are those of `unordered_map`.
  counting_set(const made_at& at = std::source_location::current())
      : counting_set(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  explicit counting_set(const hash_options& options, const made_at& at = std::source_location::current())
      : counting_set(world(), options, at) {}
  explicit counting_set(const team& members, const hash_options& options = {},
                        const made_at& at = std::source_location::current())
      : base(members, options, detail::making(at, typeid(counting_set), members)) {}
  counting_set(const team& members, const made_at& at) : counting_set(members, hash_options(), at) {}

  /// Adds `times` to the count of `key`, which is 0 if `key` is new. One-way.
  template <class K = Key>
  void insert(const K& key, std::int64_t times = 1) {
    base::update(key, times, std::plus<>{});
  }
  /// Calls `insert` for each element of a range. One-way.
  template <std::ranges::input_range R>
  void insert_range(R&& keys) {
    for (const auto& key : keys) insert(key);
  }
  /// Returns the count of `key`, or 0 if `key` was never inserted. Two-way.
  template <class K = Key>
  [[nodiscard]] future<std::int64_t> count(const K& key) const {
    return base::find(key).then([](const std::optional<std::int64_t>& n) { return n.value_or(0); });
  }
  /// Returns a counting_set over `t` with the counts of the last checkpoint, as `unordered_map::recover`. Collective.
  [[nodiscard]] recovered<counting_set, rank_t> recover(const team& t) { return base::template recover_as<counting_set>(t); }
};

}  // namespace armilla
