// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "armilla/container/keyed/by_borders.hpp"
#include "armilla/container/keyed/ordered_table.hpp"
#include "armilla/unordered_map.hpp"

namespace armilla {
struct ordered_options;
}

namespace armilla::detail {

/// Keys with an order need no hash.
struct no_hash {
  template <class T>
  constexpr std::uint64_t operator()(const T&) const noexcept {
    return 0;
  }
};

/// What an ordered container and its handle have beside the verbs of a hash container.
template <class Base>
class ordered_verbs : public Base {
  using part = typename Base::part_type;
  using base_key = typename Base::key_type;

 protected:
  using Base::core_;

 public:
  /// An element outside of the container.
  using element = element_of_part<part>;

  /// Two-way call: the first element whose key is not less, or none.
  template <class K = base_key>
  [[nodiscard]] future<std::optional<element>> lower_bound(const K& key) const {
    return first(key, false, "lower_bound");
  }
  /// Two-way call: the first element whose key is greater, or none.
  template <class K = base_key>
  [[nodiscard]] future<std::optional<element>> upper_bound(const K& key) const {
    return first(key, true, "upper_bound");
  }
  /// All elements from `low` on and below `high`, in order, from whichever ranks have them. Complete when it returns; other
  /// ranks' bodies run meanwhile. Each rank for itself, no collective. Cost: a message each way for each rank that has such keys.
  std::vector<element> between(const base_key& low, const base_key& high) const {
    core_->release_all("between");
    std::vector<element> all;
    while (!collect(low, high, all)) {
      all.clear();
      yield();
    }
    return all;
  }
  /// How many elements of all stood before the first of this rank, at the last fence. No message.
  std::size_t position() const { return core_->mine().spread.position(); }

 protected:
  using Base::Base;

 private:
  template <class K = base_key>
  auto first(const K& key, bool greater, const char* operation) const {
    const object_ref<part> there = core_->settled(key, operation);
    return armilla::call(there.rank(), &first_from<part, base_key>, there, base_key(key), greater);
  }
  /// False: keys have been dealt anew meanwhile.
  bool collect(const base_key& low, const base_key& high, std::vector<element>& all) const {
    const auto& spread = core_->mine().spread;
    const std::uint64_t times = spread.times();
    std::vector<future<if_not_dealt<std::vector<element>>>> asked;
    for (std::size_t m = spread.member_of(low, 0), end = spread.member_of(high, 0); m <= end; ++m)
      asked.push_back(armilla::call(core_->target(m).rank(), &part_between<part, base_key>, core_->target(m), low, high, times));
    bool same = true;
    for (auto& each : asked) {
      auto [as_before, some] = each.get();
      same = same && as_before;
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return same;
  }
};

/// The container of these verbs.
template <class Verbs>
class ordered_container : public hash_container<Verbs> {
  using base = hash_container<Verbs>;

 public:
  ordered_container(const team& members, const ordered_options& how, const making* label)
      : base(members, hash_options{.combine = 0, .gather = how.gather}, label) {
    this->core_->mine().spread.uneven = how.uneven;
  }

  void rebalance() {
    const named_algorithm name("rebalance");
    this->core_->mine().spread.wish_even();
    this->members().fence();
  }
  template <std::ranges::input_range R>
  void rebalance_like(R&& sample) {
    std::vector<typename base::key_type> some;
    for (auto&& key : sample) some.push_back(typename base::key_type(key));
    this->core_->mine().spread.wish_like(std::move(some));
    this->members().fence();
  }

 protected:
  friend images;
  static ordered_options options_of(const team& t, const image_numbers& numbers);  // armilla/map.hpp
};

template <class Key, class Value, class Less>
using ordered_map_verbs =
    ordered_verbs<map_verbs<Key, Value, no_hash, std::equal_to<>, ordered_table<Key, Value, Less>, by_borders<Key, Less>>>;
template <class Key, class Less>
using ordered_set_verbs =
    ordered_verbs<set_verbs<Key, no_hash, std::equal_to<>, ordered_table<Key, void, Less>, by_borders<Key, Less>>>;

}  // namespace armilla::detail
