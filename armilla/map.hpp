// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>
#include <vector>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/keyed/map_inline.hpp"

namespace armilla {

/// How an ordered container sends and deals. The same on all members.
struct ordered_options {
  /// Bytes of keys and values that are gathered for a rank before they are sent.
  std::size_t gather = 8192;
  /// Where a rank has more than this many times the mean of all, the next fence deals the keys anew. 0: only `rebalance` does.
  double uneven = 1.5;
};

namespace detail {

/// The container of these verbs.
template <class Verbs>
class ordered_container : public hash_container<Verbs> {
  using base = hash_container<Verbs>;

 public:
  explicit ordered_container(const ordered_options& how = {}) : ordered_container(world(), how) {}
  explicit ordered_container(const team& members, const ordered_options& how = {})
      : base(members, hash_options{.combine = 0, .gather = how.gather}) {
    this->core_->mine().spread.uneven = how.uneven;
  }

  /// Deals the keys so that each member has as many. Collective, and a fence of its team: all that was said before is done.
  void rebalance() {
    this->core_->mine().spread.wish_even();
    this->members().fence();
  }
  /// Deals the keys so that each member has as many of all members' samples: before many keys like these are inserted.
  /// Collective, and a fence of its team. An empty sample changes nothing.
  template <std::ranges::input_range R>
  void rebalance_like(R&& sample) {
    std::vector<typename base::key_type> some;
    for (auto&& key : sample) some.push_back(typename base::key_type(key));
    this->core_->mine().spread.wish_like(std::move(some));
    this->members().fence();
  }

 protected:
  friend images;
  static ordered_options options_of(const team&, const image_numbers& numbers) {
    return {.gather = std::size_t(numbers[1]), .uneven = std::bit_cast<double>(numbers[2])};
  }
};

template <class Key, class Value, class Less>
using ordered_map_verbs =
    ordered_verbs<map_verbs<Key, Value, no_hash, std::equal_to<>, ordered_table<Key, Value, Less>, by_borders<Key, Less>>>;
template <class Key, class Less>
using ordered_set_verbs =
    ordered_verbs<set_verbs<Key, no_hash, std::equal_to<>, ordered_table<Key, void, Less>, by_borders<Key, Less>>>;

}  // namespace detail

/// Keys in order, with values: each rank of a team has those between two borders, the first rank the least ones. All members make
/// it together, which is one meeting.
///
///     am::map<std::string, long> price;
///     price.rebalance_like(mine);                         // mine: some keys that are to come
///     for (const auto& [name, p] : offers) price.insert_or_assign(name, p);
///     am::fence();
///     for (const auto& [name, p] : price.between("a", "b")) show(name, p);
///
/// It has the statements and questions of `unordered_map`, complete as there, with the same promises of order; and
/// `lower_bound`, `upper_bound`, `between`. `local()` goes in order; the parts of members in their order are all elements in
/// order, and `position()` says where this rank's begin.
///
/// In the beginning the first member has all keys. Where one has more than `ordered_options::uneven` times the mean, a fence
/// deals them anew, so that each has as many. That moves elements: what handles and loops see is kept, a loop of another fiber is
/// waited for. What other fibers and bodies say during such a fence finds its way, but not in the order of what they say behind
/// it.
///
/// Cost: as `unordered_map`, and some 100 ns in the tree of a rank. `Less` is a type without state that compares keys; texts as
/// std::string_view. Paper: STAPL, section 5 (pContainers); the tree: Bayer and McCreight, Organization and Maintenance of Large
/// Ordered Indexes.
template <class Key, class Value, class Less /* = std::less<> */>
class map : public detail::ordered_container<detail::ordered_map_verbs<Key, Value, Less>> {
  static_assert(sendable_value<Key> && sendable_value<Value>, "armilla: keys and values of a map must be sendable");
  using base = detail::ordered_container<detail::ordered_map_verbs<Key, Value, Less>>;

 public:
  using base::base;
  /// Returns all elements of the last checkpoint in a map over the ranks of `t`, which `members().survivors()` gave. Each rank
  /// gets as many. `gone` has the ranks of the job whose elements are lost with all their copies. The result is replicated as
  /// this map, and has a checkpoint. Collective of `t`; everything else as of an `unordered_map`.
  [[nodiscard]] recovered<map, rank_t> recover(const team& t) { return base::template recover_as<map>(t); }
};

/// Keys in order, over the ranks of a team: as `map` without values.
template <class Key, class Less /* = std::less<> */>
class set : public detail::ordered_container<detail::ordered_set_verbs<Key, Less>> {
  static_assert(sendable_value<Key>, "armilla: the keys of a set must be sendable");
  using base = detail::ordered_container<detail::ordered_set_verbs<Key, Less>>;

 public:
  using base::base;
  /// As of a map.
  [[nodiscard]] recovered<set, rank_t> recover(const team& t) { return base::template recover_as<set>(t); }
};

}  // namespace armilla
