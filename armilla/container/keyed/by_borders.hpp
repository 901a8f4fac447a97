// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/container/keyed/hash_part.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/hash.hpp"
#include "armilla/spawn.hpp"

/// How the keys of an ordered container are dealt: member m has those from border m - 1 on and below border m.
///
/// Borders change at a fence only, on all members together. Nothing is under way then but what bodies and other fibers say
/// meanwhile: where it comes to a part that has the key no longer, that sends it on.
namespace armilla::detail {

template <class Key, class Less>
class by_borders {
 public:
  static constexpr bool moves = true;

  void start(std::size_t members, std::size_t me) noexcept {
    members_ = members;
    me_ = me;
  }
  template <class K>
  std::size_t member_of(const K& key, std::uint64_t) const {
    return member_among(borders_, comparable(key));
  }
  template <class K>
  bool holds(const K& key) const {
    if (borders_.empty()) return me_ == 0;
    const auto& k = comparable(key);
    return (me_ == 0 || !Less{}(k, borders_[me_ - 1])) && (me_ + 1 == members_ || Less{}(k, borders_[me_]));
  }
  std::size_t me() const noexcept { return me_; }
  std::size_t members() const noexcept { return members_; }
  /// How often keys have been dealt.
  std::uint64_t times() const noexcept { return times_; }
  /// How many keys stood before this rank's at the last fence.
  std::size_t position() const noexcept { return position_; }

  double uneven = 1.5;  ///< the most keys of a member by their mean from which on a fence deals them anew; 0: never
  bool wishes() const noexcept { return wish_ != wish::none; }
  void wish_even() noexcept { wish_ = wish::even; }
  void wish_like(std::vector<Key> sample) {
    wish_ = wish::like;
    sample_ = std::move(sample);
  }

  /// On all members together: each has the keys of `table` then, from its border on and below the next one.
  template <class Part>
  void adopt(Part& part, typename Part::table_type table, std::vector<Key> borders) {
    part.guard.await_loops();
    const held here(part.guard);
    part.table = std::move(table);
    borders_ = std::move(borders);
    ++times_;
  }

  struct sizes {
    std::size_t all, here;
  };
  /// At a fence, on all members: what they have, and new borders if that is uneven or wished for.
  template <class Part>
  sizes deal(Part& part, const team& t) {
    part.guard.await_loops();
    const held here(part.guard);
    const wish wished = std::exchange(wish_, wish::none);
    std::vector<std::size_t> now = t.all_gather(part.table.size());
    const std::size_t all = sum(now, now.size());
    const bool anew = wished != wish::none || too_much(now, all);
    if (anew && members_ > 1) {
      failure why;
      become(part, t, wished == wish::like ? borders_of_sample(t, why) : borders_between(part.table, t, now, all), why);
      now = t.all_gather(part.table.size());
    }
    position_ = sum(now, me_);
    return {all, part.table.size()};
  }

 private:
  enum class wish : std::uint8_t { none, even, like };
  struct held {
    explicit held(part_guard& g) noexcept : guard(g) { guard.hold(); }
    ~held() { guard.release(); }
    held(const held&) = delete;
    part_guard& guard;
  };
  static constexpr std::size_t few = 256;  // keys that are not worth a move

  template <class K>
  static std::size_t member_among(const std::vector<Key>& borders, const K& key) {
    return std::size_t(std::upper_bound(borders.begin(), borders.end(), key, Less{}) - borders.begin());
  }
  template <class K>
  static decltype(auto) comparable(const K& key) {
    if constexpr (std::is_same_v<K, Key> || (std::is_same_v<Key, std::string> && text_like<K>))
      return (key);
    else
      return Key(key);
  }
  static std::size_t sum(const std::vector<std::size_t>& of, std::size_t n) noexcept {
    std::size_t all = 0;
    for (std::size_t m = 0; m < n; ++m) all += of[m];
    return all;
  }
  bool too_much(const std::vector<std::size_t>& now, std::size_t all) const {
    const std::size_t most = *std::max_element(now.begin(), now.end());
    return uneven > 0 && most > few && double(most) * double(members_) > uneven * double(all);
  }

  /// Parts are in order, and so are positions: each member knows the keys at those positions that it has.
  template <class Table>
  std::vector<Key> borders_between(const Table& table, const team& t, const std::vector<std::size_t>& now,
                                   std::size_t all) const {
    if (all == 0) return borders_;
    const std::size_t first = sum(now, me_), end = first + now[me_];
    std::vector<Key> mine;
    for (std::size_t m = 1; m < members_; ++m) {
      const std::size_t at = std::min(all - 1, (m * all + members_ - 1) / members_);
      if (at >= first && at < end) mine.push_back(Table::key_of(*table.nth(at - first)));
    }
    return t.all_gather_v(mine);
  }
  std::vector<Key> borders_of_sample(const team& t, failure& why) {
    constexpr std::size_t of_each = 256;
    sort_keys(sample_, why);
    std::vector<Key> some;
    const std::size_t step = sample_.size() / of_each + 1;
    for (std::size_t i = step / 2; i < sample_.size(); i += step) some.push_back(std::move(sample_[i]));
    sample_.clear();
    some = t.all_gather_v(some);
    if (some.empty()) return borders_;
    sort_keys(some, why);
    std::vector<Key> borders;
    for (std::size_t m = 1; m < members_; ++m) borders.push_back(some[m * some.size() / members_]);
    return borders;
  }

  /// What a user's order throws all members throw before anything changes.
  static void sort_keys(std::vector<Key>& keys, failure& why) {
    try {
      guarded_sort(keys.data(), keys.size(), Less{});
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
  }

  /// The keys of each member go to it, and this rank's come, from each in order. Until all members have theirs nothing changes:
  /// other fibers may look, and what one throws all throw.
  template <class Part>
  void become(Part& part, const team& t, std::vector<Key> borders, failure& why) {
    using table_type = typename Part::table_type;
    using element = typename loose_element<typename table_type::slot>::type;
    std::vector<std::vector<element>> parts(members_);
    try {
      for (const auto& each : part.table) parts[member_among(borders, table_type::key_of(each))].emplace_back(each);
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    std::vector<element> stay = std::exchange(parts[me_], {});
    parts = exchange_agreed(t, "rebalance", parts, why);
    parts[me_] = std::move(stay);
    table_type table;
    try {
      for (std::vector<element>& from : parts)
        for (element& each : from) insert(table, std::move(each));
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    agree(t, "rebalance", why);
    part.table = std::move(table);
    borders_ = std::move(borders);
    ++times_;
  }
  template <class Table, class Element>
  static void insert(Table& table, Element&& each) {
    if constexpr (std::is_void_v<typename Table::mapped>)
      table.template obtain<Less>(std::move(each), 0, [] { return 0; });
    else
      table.template obtain<Less>(std::move(each.first), 0, [&] { return std::move(each.second); });
  }

  std::vector<Key> borders_;  // none: member 0 has all
  std::size_t members_ = 1, me_ = 0;
  std::uint64_t times_ = 0;
  std::size_t position_ = 0;
  wish wish_ = wish::none;
  std::vector<Key> sample_;
};

/// What an ordered container is asked beside a hash container.
template <class Part>
using element_of_part = typename loose_element<typename Part::table_type::slot>::type;

/// What was found, unless keys have been dealt anew since the two-way call was begun.
template <class T>
using if_not_dealt = std::pair<bool, T>;

template <class Part>
Part& part_of(const object_ref<Part>& name, const char* operation) {
  Part* const here = name.local();
  if (here == nullptr) [[unlikely]]
    throw_no_part(object_access::id(name), typeid(Part), operation);
  here->guard.await_open();
  return *here;
}

template <class Part>
if_not_dealt<std::optional<element_of_part<Part>>> first_of_part(const object_ref<Part>& name, std::uint64_t times) {
  Part& here = part_of(name, "lower_bound");
  std::optional<element_of_part<Part>> first;
  if (!here.table.empty()) first.emplace(*here.table.begin());
  return {here.spread.times() == times, std::move(first)};
}

/// The first element that is not less than `key`, or that is greater: of this part, or of those behind it.
template <class Part, class Key>
std::optional<element_of_part<Part>> first_from(const object_ref<Part>& name, const Key& key, bool greater) {
  for (;;) {
    Part& here = part_of(name, "lower_bound");
    if (!here.spread.holds(key)) {
      const object_ref<Part> there = here.elsewhere(key);
      return call(there.rank(), &first_from<Part, Key>, there, key, greater).get();
    }
    const auto at = greater ? here.table.upper(key) : here.table.lower(key);
    if (at != here.table.end()) return std::optional<element_of_part<Part>>(*at);
    const std::uint64_t times = here.spread.times();
    bool dealt = false;
    for (std::size_t m = here.spread.me() + 1; m < here.spread.members() && !dealt; ++m) {
      const object_ref<Part> next = here.targets[m];
      auto [same, first] = call(next.rank(), &first_of_part<Part>, next, times).get();
      if (same && first) return std::move(first);
      dealt = !same;
    }
    if (!dealt) return std::nullopt;
    yield();
  }
}

/// What lies in this part from `low` on and below `high`.
template <class Part, class Key>
if_not_dealt<std::vector<element_of_part<Part>>> part_between(const object_ref<Part>& name, const Key& low, const Key& high,
                                                              std::uint64_t times) {
  Part& here = part_of(name, "between");
  using table = typename Part::table_type;
  std::vector<element_of_part<Part>> all;
  for (auto at = here.table.lower(low); at != here.table.end() && table::before(table::key_of(*at), high); ++at)
    all.emplace_back(*at);
  return {here.spread.times() == times, std::move(all)};
}

}  // namespace armilla::detail
