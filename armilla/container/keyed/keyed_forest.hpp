// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/rank.hpp"
#include "armilla/when_all.hpp"

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_forest(const std::string& path);

/// The verbs of a keyed_disjoint_set, over the handle of a map from each key to its parent. A root is its own parent.
///
/// A parent precedes its child, in the order of the hashes, so that there are no circles; and since that order has nothing to do
/// with the order of the calls, trees stay low. Roots alone get another parent, on their own rank, and ways are halved.
template <class Key, class Hash, class Map>
class keyed_forest {
 public:
  keyed_forest() = default;
  explicit keyed_forest(const Map& parents) : parents_(parents) {}
  keyed_forest* operator->() noexcept { return this; }
  const keyed_forest* operator->() const noexcept { return this; }

  static bool precedes(const Key& a, const Key& b) {
    const std::uint64_t x = Hash{}(a), y = Hash{}(b);
    return x != y ? x < y : a < b;
  }

  template <class K = Key>
  void insert(const K& key) {
    const Key one(key);
    parents_->insert(one, one);
  }
  void unite(Key a, Key b) { go_on({parents_, std::move(a), std::move(b), false}); }
  future<bool> test_and_unite(const Key& a, const Key& b) const { return armilla::call(rank(), &joined_before, parents_, a, b); }
  future<Key> find(const Key& a) const { return armilla::call(rank(), &root_of, parents_, a); }
  future<bool> same(const Key& a, const Key& b) const {
    return when_all(find(a), find(b)).then([](const std::tuple<Key, Key>& roots) {
      return std::get<0>(roots) == std::get<1>(roots);
    });
  }

 private:
  /// A union on its way: the root of x is to be found next, and y is a root, or was one, if `y_is_root`.
  struct on_way {
    Map parents;
    Key x, y;
    bool y_is_root;
  };
  enum class end { not_here, one_already, joined };

  /// The last key from `x` upwards that this rank has, and its parent; null if it has not even x.
  static Key* climb(Map& parents, Key& x) {
    Key* at = parents->find_local(x);
    while (at != nullptr && !(*at == x)) {
      Key* const above = parents->find_local(*at);
      x = *at;
      if (above != nullptr && !(*above == x)) *at = *above;
      at = above;
    }
    return at;
  }

  /// As far as this rank has the keys.
  static end advance(on_way& u) {
    for (;;) {
      Key* const at = climb(u.parents, u.x);
      if (at == nullptr) return end::not_here;
      // x is a root
      if (u.x == u.y) return end::one_already;
      if (u.y_is_root && precedes(u.y, u.x)) {
        *at = u.y;
        return end::joined;
      }
      std::swap(u.x, u.y);
      u.y_is_root = true;
    }
  }

  /// One-way calls from rank to rank. A key that is not there is added as a root.
  static void go_on(on_way u) {
    if (advance(u) == end::not_here)
      u.parents->insert_and_visit(
          u.x, u.x,
          [](Key&, const Map& parents, const Key& x, const Key& y, bool y_is_root) { go_on({parents, x, y, y_is_root}); },
          u.parents, u.x, u.y, u.y_is_root);
  }

  /// In a call of this rank to itself, which waits for others.
  static bool joined_before(Map parents, Key a, Key b) {
    using step = std::tuple<int, Key, Key, bool>;
    on_way u{parents, std::move(a), std::move(b), false};
    for (;;) {
      parents->insert(u.x, u.x);
      const std::optional<step> made = parents
                                           ->call(
                                               u.x,
                                               [](Key&, const Map& there, const Key& x, const Key& y, bool y_is_root) {
                                                 on_way w{there, x, y, y_is_root};
                                                 const end how = advance(w);
                                                 return step(int(how), w.x, w.y, w.y_is_root);
                                               },
                                               parents, u.x, u.y, u.y_is_root)
                                           .get();
      if (!made) continue;
      if (std::get<0>(*made) != int(end::not_here)) return std::get<0>(*made) == int(end::one_already);
      std::tie(std::ignore, u.x, u.y, u.y_is_root) = *made;
    }
  }
  static Key root_of(Map parents, Key a) {
    for (;;) {
      const std::optional<std::pair<Key, bool>> above = parents
                                                            ->call(
                                                                a,
                                                                [](Key&, Map there, Key x) {
                                                                  const bool is_root = climb(there, x) != nullptr;
                                                                  return std::pair<Key, bool>(x, is_root);
                                                                },
                                                                parents, a)
                                                            .get();
      if (!above) return a;
      a = above->first;
      if (above->second) return a;
    }
  }

  Map parents_;
};

}  // namespace armilla::detail
