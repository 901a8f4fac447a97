// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/keyed/keyed_forest.hpp"
#include "armilla/unordered_map.hpp"

namespace armilla {

/// A union-find structure over keys of any type, such as strings, identifiers or coordinates. It is distributed over the ranks of
/// a team.
///
/// Use it to merge records that turn out to be the same: names, addresses, regions of an image. If the
/// elements are the numbers from 0 to n - 1, a `disjoint_set` is faster.
///
///     am::keyed_disjoint_set<std::string> people;                // collective: all ranks construct it
///     for (const auto& [a, b] : my_matches) people.unite(a, b);
///     am::fence();
///     const std::string one = people.find("J. Smith").get();     // the same for all keys of a set
///     const std::size_t persons = people.num_sets();             // collective
///
/// **Keys** are added by the first `unite` or `insert` with them. Their type is any sendable type that has `==` and `<`.
///
/// **Other operations.** The class derives from an `unordered_map` from each key to its parent, and has its local and collective
/// operations and its queries. Operations of the map that could break the sets do not compile.
///
/// **Kinds of operations.** `insert` and `unite` are one-way: they return at once, and are complete at the next fence. `find`,
/// `same` and `test_and_unite` are two-way: they return futures. `compress` and `num_sets` are collective. Called functions use a
/// handle: `h->unite(a, b)`.
///
/// **Order.** After a fence, all ranks see the same sets. Before it, the only guarantee is that keys that are in one set stay in
/// one set. A set is identified by one of its keys. Which one depends on the hashes of the keys, and may change when sets are
/// united.
///
/// **Cost.** `unite` sends a message to each rank on the paths of both keys. `find` sends a message each way for each rank on the
/// path of its key. The length of paths grows with the logarithm of the number of keys, since sets are linked in the order of
/// the hashes; `compress` makes it 1. Memory: each key is stored twice.
///
/// **Errors and lifetime** are those of `unordered_map`.
///
/// Paper: Goel, Khanna, Larkin and Tarjan, Disjoint Set Union with Randomized Linking (SODA 2014).
template <class Key, class Hash = hash, class Equal = std::equal_to<>>
class keyed_disjoint_set : public unordered_map<Key, Key, Hash, Equal> {
  static_assert(requires(const Key& a, const Key& b) { bool(a < b); }, "armilla: the keys of a keyed_disjoint_set must have <");
  using base = unordered_map<Key, Key, Hash, Equal>;
  using forest = detail::keyed_forest<Key, detail::key_hash<Key, Hash, Equal>, typename base::handle_type>;

 public:
  using map_type = base;  // from each key to its parent

  // ---- Construction (collective) ----

  /// Creates a structure without keys over all ranks of the job. It may have a name: `am::named("people")`. Cost: one collective.
  keyed_disjoint_set(const made_at& at = std::source_location::current())
      : keyed_disjoint_set(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates a structure without keys over the team `members`.
  explicit keyed_disjoint_set(const team& members, const hash_options& options = {},
                              const made_at& at = std::source_location::current())
      : base(members, options, detail::making(at, typeid(keyed_disjoint_set), members)) {}
  keyed_disjoint_set(const team& members, const made_at& at) : keyed_disjoint_set(members, hash_options(), at) {}

  // ---- Changes (one-way) ----

  /// Adds `key` as a set of its own. Does nothing if it was added before.
  template <class K = Key>
  void insert(const K& key) {
    const Key one(key);
    base::insert(one, one);
  }

  /// Unites the sets of `a` and `b`. Adds keys that are new.
  template <class A = Key, class B = Key>
  void unite(const A& a, const B& b) {
    verbs().unite(Key(a), Key(b));
  }

  // ---- Queries (two-way) ----

  /// Returns the key that identifies the set of `a`. Before a fence, it may identify an earlier set that has become part of this
  /// one. For a key that was never added, returns the key and does not add it.
  template <class A = Key>
  [[nodiscard]] future<Key> find(const A& a) const {
    return verbs().find(Key(a));
  }

  /// Unites the sets of `a` and `b`. Returns true if they were in one set already, and false if this call united two sets. If
  /// several callers unite the same two sets, exactly one of them gets false.
  template <class A = Key, class B = Key>
  [[nodiscard]] future<bool> test_and_unite(const A& a, const B& b) {
    return verbs().test_and_unite(Key(a), Key(b));
  }

  /// Returns whether `a` and `b` are in one set.
  template <class A = Key, class B = Key>
  [[nodiscard]] future<bool> same(const A& a, const B& b) const {
    return verbs().same(Key(a), Key(b));
  }

  // ---- Local access (no message) ----

  /// A small value that identifies the structure on all members. `h->` has `insert`, `unite`, `find`, `test_and_unite` and
  /// `same`.
  using handle_type = forest;

  /// Returns a handle for called functions: `h->unite(a, b)`.
  handle_type handle() const { return verbs(); }

  /// Returns the keys that are stored on this rank, each with its parent, as pairs. After `compress` the parent is the key that
  /// identifies the set. The rules of `unordered_map::local` apply.
  using base::local;  // auto local() const

  // ---- All sets (collective) ----

  /// Makes the parent of each key the key that identifies its set. Then `find` takes one step, and `local` shows the sets. Call
  /// it after a fence.
  ///
  /// Cost: log2(p) rounds, where p is the length of the longest path; each looks up the parents of all keys by `find_range`.
  void compress();

  /// Returns the number of sets. Call it after a fence. Cost: one reduction.
  std::size_t num_sets() const;

  /// Replaces all keys and sets by those of a file that `save` wrote, on any number of ranks. Fences the team. Throws
  /// `usage_error` on all members if the file is damaged or has other content; the sets are then unchanged.
  void load(const std::string& path);

  /// Returns a structure over `t` with the sets of the last checkpoint, as `unordered_map::recover`. It does not contain lost
  /// keys. If the key that identifies a set is lost, the remaining keys of the set may be in several sets. Cost after a loss of
  /// keys: it also looks up the parents of all keys.
  [[nodiscard]] recovered<keyed_disjoint_set, rank_t> recover(const team& t) {
    auto back = base::template recover_as<keyed_disjoint_set>(t);
    if (!back.gone.empty()) back.container.let_go_of_lost_parents();
    detail::meet(t);
    return back;
  }

  // Changes of the map that would break the sets.
  template <class... A>
  void insert_or_assign(A&&...) = delete;
  template <class... A>
  void try_emplace(A&&...) = delete;
  template <class... A>
  void update(A&&...) = delete;
  template <class... A>
  void append(A&&...) = delete;
  template <class... A>
  void visit(A&&...) = delete;
  template <class... A>
  void insert_or_visit(A&&...) = delete;
  template <class... A>
  void insert_and_visit(A&&...) = delete;
  template <class... A>
  void erase(A&&...) = delete;
  template <class... A>
  void insert_range(A&&...) = delete;
  template <class... A>
  void update_range(A&&...) = delete;
  template <class... A>
  void test_and_insert(A&&...) = delete;
  template <class... A>
  void call(A&&...) = delete;

 private:
  friend detail::rebalancer;
  forest verbs() const { return forest(base::handle()); }
  /// A key of this rank whose parent is not there any more becomes a root.
  void let_go_of_lost_parents();
};

// ---- Implementation only below ----

template <class Key, class Hash, class Equal>
void keyed_disjoint_set<Key, Hash, Equal>::compress() {
  const team& t = this->members();
  detail::meet(t);
  for (bool again = true; again;) {
    std::vector<Key> up;
    for (const auto& [key, parent] : local()) up.push_back(parent);
    const std::vector<std::optional<Key>> further = this->find_range(up);
    t.barrier();  // all have read
    bool changed = false;
    std::size_t k = 0;
    for (auto& [key, parent] : local()) {
      if (further[k] && !(*further[k] == parent)) parent = *further[k], changed = true;
      ++k;
    }
    const detail::meeting here(t);
    again = t.all_reduce(std::uint32_t(changed), std::plus<>{}) != 0;
  }
}

template <class Key, class Hash, class Equal>
void keyed_disjoint_set<Key, Hash, Equal>::let_go_of_lost_parents() {
  std::vector<Key> up;
  for (const auto& [key, parent] : local()) up.push_back(parent);
  const std::vector<std::optional<Key>> there = this->find_range(up);
  std::size_t k = 0;
  for (auto& [key, parent] : local())
    if (!there[k++]) parent = key;
}

template <class Key, class Hash, class Equal>
std::size_t keyed_disjoint_set<Key, Hash, Equal>::num_sets() const {
  std::size_t roots = 0;
  for (const auto& [key, parent] : local()) roots += key == parent ? 1 : 0;
  return this->members().all_reduce(roots, std::plus<>{});
}

template <class Key, class Hash, class Equal>
void keyed_disjoint_set<Key, Hash, Equal>::load(const std::string& path) {
  const team t = this->members();
  keyed_disjoint_set read(t, this->core_->options());
  static_cast<base&>(read).load(path);
  bool good = true;
  for (const auto& [key, parent] : read.local()) good = good && (key == parent || forest::precedes(parent, key));
  if (!t.all_reduce(good, std::logical_and<>{})) detail::throw_no_forest(path);
  auto& mine = this->core_->mine();
  mine.guard.await_loops();
  std::swap(mine.table, read.core_->mine().table);
  t.fence();
}

}  // namespace armilla
