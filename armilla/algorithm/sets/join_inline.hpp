// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/order/exchange_rounds.hpp"
#include "armilla/algorithm/sets/large_array.hpp"
#include "armilla/by_key.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/hash.hpp"

namespace armilla::detail {

/// An element on its way. The standard's pair does not travel as bytes.
template <class K, class V>
struct flat_pair {
  K first;
  V second;
};
template <class K, class V>
using travelling_pair = std::conditional_t<trivially_sendable<K> && trivially_sendable<V>, flat_pair<K, V>, std::pair<K, V>>;

template <class R>
using key_of_pairs = kept<projected_in<R, take_first>>;
template <class R>
using value_of_pairs = kept<projected_in<R, take_second>>;

/// Where keys go: high bits of the hash choose the member, low ones the partition there, those between a chain.
struct key_partitions {
  std::size_t members = 1, each = 1;  // partitions of a member: a power of two

  /// Few enough for the translation buffers, and of some 2,048 of `elements` each.
  key_partitions(const team& t, std::size_t elements) : members(std::size_t(t.size())) {
    const std::size_t wanted = elements / members / 2048;
    each = wanted < 2 ? 1 : wanted > 4096 ? 4096 : std::bit_ceil(wanted);
  }
  std::size_t count() const noexcept { return members * each; }
  std::size_t of(std::uint64_t hash) const noexcept {
    return std::size_t((hash >> 32) * members >> 32) * each + (std::size_t(hash) & (each - 1));
  }
  static std::size_t chain_of(std::uint64_t hash) noexcept { return std::size_t(hash >> 12); }
};

/// What has come to this rank of an input, in partitions.
template <class K, class V>
class partitioned {
 public:
  using element = travelling_pair<K, V>;
  static constexpr bool as_bytes = trivially_sendable<element>;

  /// Where elements do not travel as bytes, `how` has one partition a member. Members that have no memory for what they deal or
  /// get say so before the exchange, and all throw; what fails after it is noted.
  template <class Source>
  partitioned(const team& t, const char* operation, const key_partitions& how, Source mine, failure& why) : each_(how.each) {
    if constexpr (as_bytes)
      exchange(t, operation, how, mine, why);
    else
      exchange_each(t, operation, how, mine, why);
  }

  std::size_t partitions() const noexcept { return each_; }
  std::size_t size() const noexcept { return size_; }
  /// Calls f(element) for each of partition `p`.
  template <class F>
  void in(std::size_t p, F f) {
    for (std::size_t r = p; r < runs_.size(); r += each_)
      for (element *e = runs_[r].first, *const end = e + runs_[r].n; e != end; ++e) f(*e);
  }

 private:
  struct run {
    element* first;
    std::size_t n;
  };

  /// What stays here is dealt behind what leaves, and is not copied again.
  template <class Source>
  void exchange(const team& t, const char* operation, const key_partitions& how, Source& mine, failure& why) {
    std::vector<std::size_t> counts, at, sizes, come, theirs;
    const std::size_t me = std::size_t(t.rank());
    std::size_t leaving = 0, staying = 0;
    try {
      counts.resize(how.count()), at.resize(how.count()), theirs.resize(how.count());
      sizes.resize(how.members), come.resize(how.members);
      runs_.reserve(how.count());
      deal(how, mine, me, counts, at, sizes, leaving, staying);
    } catch (...) { why.note(); }
    agree(t, operation, why);
    mine = {};
    t.all_to_all(std::span<const std::size_t>(counts), std::span(theirs));
    std::size_t coming = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
      if (i / how.each != me) coming += theirs[i];
    try_memory(coming * sizeof(element), why);
    agree(t, operation, why);
    came_ = t.all_to_all_v(std::span<const element>(dealt_.get(), leaving), std::span<const std::size_t>(sizes), std::span(come));
    element *arrived = came_.data(), *kept = dealt_.get() + leaving;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      element*& first = i / how.each == me ? kept : arrived;
      runs_.push_back({first, theirs[i]});
      first += theirs[i];
    }
    size_ = came_.size() + staying;
  }
  template <class Source>
  void deal(const key_partitions& how, Source& mine, std::size_t me, std::vector<std::size_t>& counts,
            std::vector<std::size_t>& at, std::vector<std::size_t>& sizes, std::size_t& leaving, std::size_t& staying) {
    for (const auto& e : mine) ++counts[how.of(hash{}(take_first{}(e)))];
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool stays = i / how.each == me;
      std::size_t& sum = stays ? staying : leaving;
      at[i] = sum;
      sum += counts[i];
      if (!stays) sizes[i / how.each] += counts[i];
    }
    for (std::size_t i = me * how.each; i < (me + 1) * how.each; ++i) at[i] += leaving;
    dealt_ = make_large<element>(mine.size());
    for (const auto& e : mine) dealt_[at[how.of(hash{}(take_first{}(e)))]++] = {take_first{}(e), take_second{}(e)};
  }
  void exchange_each(const team& t, const char* operation, const key_partitions& how, std::vector<element>& mine, failure& why) {
    std::vector<std::vector<element>> parts(how.members);
    try {
      for (element& e : mine) parts[how.of(hash{}(e.first))].push_back(std::move(e));
    } catch (...) { why.note(); }
    mine = {};
    std::vector<std::vector<element>> come = exchange_in_rounds(t, operation, std::move(parts), why);
    try {
      for (std::vector<element>& some : come)
        came_.insert(came_.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    } catch (...) { why.note(); }
    runs_ = {{came_.data(), came_.size()}};
    size_ = came_.size();
  }

  struct nothing {};
  std::size_t each_, size_ = 0;
  std::conditional_t<as_bytes, large_array<element>, nothing> dealt_;
  std::vector<element> came_;
  std::vector<run> runs_;  // by the member from which they come, then by partition
};

/// Elements of a partition, found by key: chains of numbers.
template <class Element>
class chained {
 public:
  void clear(std::size_t expected) {
    heads_.assign(std::bit_ceil(expected | 1), none);
    elements_.clear();
    next_.clear();
  }
  void add(const Element& e) {
    std::uint32_t& head = head_of(e.first);
    next_.push_back(std::exchange(head, std::uint32_t(elements_.size())));
    elements_.push_back(&e);
  }
  /// Calls f(element) for those of `key`.
  template <class K, class F>
  void each(const K& key, F f) {
    for (std::uint32_t i = head_of(key); i != none; i = next_[i])
      if (elements_[i]->first == key) f(*elements_[i]);
  }
  template <class K>
  bool has(const K& key) {
    for (std::uint32_t i = head_of(key); i != none; i = next_[i])
      if (elements_[i]->first == key) return true;
    return false;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t(0);
  template <class K>
  std::uint32_t& head_of(const K& key) {
    return heads_[key_partitions::chain_of(hash{}(key)) & (heads_.size() - 1)];
  }
  std::vector<std::uint32_t> heads_, next_;
  std::vector<const Element*> elements_;
};

/// Elements that can be read where they lie, as often as needed: nothing can be thrown.
template <class Part, class Element>
concept lies_ready = trivially_sendable<Element> && std::ranges::contiguous_range<Part> && std::ranges::borrowed_range<Part> &&
                     std::ranges::sized_range<Part>;

/// What this member brings. What its projections or its file throw comes to all members in the next agreement.
template <class Element, class R>
auto pairs_of(R& items, failure& why) {
  using part_type = decltype(part_of(items));
  if constexpr (lies_ready<part_type, Element>) {
    auto&& part = part_of(items);
    return std::span<const std::ranges::range_value_t<part_type>>(std::ranges::data(part), std::ranges::size(part));
  } else {
    std::vector<Element> all;
    try {
      auto&& part = part_of(items);
      if constexpr (requires { std::ranges::size(part); }) all.reserve(std::ranges::size(part));
      for (auto&& e : part)
        all.push_back({decltype(Element::first)(take_first{}(e)), decltype(Element::second)(take_second{}(e))});
    } catch (...) { why.note(all.size()); }
    return all;
  }
}

/// The two inputs, partition by partition, on the rank to which their keys belong.
template <class L, class R>
class meeting_by_key {
 public:
  using key = key_of_pairs<L>;
  using left_pairs = partitioned<key, value_of_pairs<L>>;
  using right_pairs = partitioned<key, value_of_pairs<R>>;
  static_assert(std::is_same_v<key, key_of_pairs<R>>, "armilla: the two inputs of a join must have keys of one type");

  static meeting_by_key of(const team& t, const char* operation, L& left, R& right) {
    failure why;
    auto mine = pairs_of<typename left_pairs::element>(left, why);
    auto others = pairs_of<typename right_pairs::element>(right, why);
    const std::size_t most = mine.size() < others.size() ? others.size() : mine.size();
    const std::size_t elements = agree(t, operation, why, most, std::plus<>{});
    const key_partitions how(t, left_pairs::as_bytes && right_pairs::as_bytes ? elements : 0);
    left_pairs came(t, operation, how, std::move(mine), why);
    meeting_by_key both{std::move(came), right_pairs(t, operation, how, std::move(others), why)};
    if constexpr (!left_pairs::as_bytes || !right_pairs::as_bytes) agree(t, operation, why);
    return both;
  }

  /// Calls f(p) for each partition.
  template <class F>
  void each_partition(F f) {
    const std::size_t n = left.partitions(), elements = left.size() + right.size();
    expect_work(elements, "elements");
    for (std::size_t p = 0; p < n; ++p) {
      f(p);
      count_work(elements / n);
    }
  }

  left_pairs left;
  right_pairs right;
};

/// What a rank has of an input, each element behind the key that a projection gives.
template <class Part, class Key>
struct keyed_part {
  Part part;
  const Key* key;

  class iterator {
   public:
    using at_type = decltype(std::begin(std::declval<std::remove_reference_t<Part>&>()));
    using element = std::decay_t<decltype(*std::declval<at_type&>())>;
    using value_type =
        std::pair<kept<std::decay_t<std::invoke_result_t<const Key&, decltype(*std::declval<at_type&>())>>>, element>;

    iterator(at_type at, const Key* key) : at_(std::move(at)), key_(key) {}
    value_type operator*() const {
      auto&& e = *at_;
      return {typename value_type::first_type(std::invoke(*key_, e)), element(e)};
    }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    template <class End>
    bool is(const End& end) const {
      return at_ == end;
    }

   private:
    at_type at_;
    const Key* key_;
  };
  struct sentinel {
    decltype(std::end(std::declval<std::remove_reference_t<Part>&>())) end;
    friend bool operator==(const iterator& at, const sentinel& s) { return at.is(s.end); }
  };
  iterator begin() { return {std::begin(part), key}; }
  sentinel end() { return {std::end(part)}; }
};

/// An input whose elements are made pairs by a projection that gives their keys.
template <class R, class Key>
class keyed_input {
 public:
  keyed_input(R& items, Key key, const char* operation) : items_(&items), key_(std::move(key)) {
    require_function(key_, operation);
  }
  team members() const { return members_of(*items_); }
  auto local() const { return keyed_part<decltype(part_of(*items_)), Key>{part_of(*items_), &key_}; }

 private:
  R* items_;
  Key key_;
};

struct as_pair {
  template <class K, class V>
  std::pair<K, V> operator()(K& key, V& value) const {
    return {std::move(key), std::move(value)};
  }
};
struct as_element {
  template <class K, class V>
  V operator()(K&, V& value) const {
    return std::move(value);
  }
};

/// Calls emit(joined, key, left value, chain of the right elements) for the elements of `left`, partition by partition.
template <class Joined, class L, class R, class Emit>
std::vector<Joined> join_by_key(const char* operation, L& left, R& right, Emit emit) {
  const team t = members_of(left);
  algorithm_call why(operation);
  auto both = meeting_by_key<L, R>::of(t, operation, left, right);
  std::vector<Joined> joined;
  try {
    chained<typename decltype(both)::right_pairs::element> table;
    both.each_partition([&](std::size_t p) {
      table.clear(both.right.size() / both.right.partitions());
      both.right.in(p, [&](const auto& e) { table.add(e); });
      both.left.in(p, [&](const auto& e) { emit(joined, e, table); });
    });
  } catch (...) { why.note(); }
  agree(t, operation, why);
  return joined;
}

/// The elements of `left` whose key `right` has, or has not, as `make` makes them of key and value.
template <class Make = as_pair, class L, class R>
auto filter_by_key(const char* operation, L& left, R& right, bool wanted) {
  const team t = members_of(left);
  algorithm_call why(operation);
  auto both = meeting_by_key<L, R>::of(t, operation, left, right);
  using pairs = decltype(both);
  std::vector<std::invoke_result_t<Make, typename pairs::key&, value_of_pairs<L>&>> chosen;
  try {
    chained<typename pairs::right_pairs::element> keys;
    both.each_partition([&](std::size_t p) {
      keys.clear(both.right.size() / both.right.partitions());
      both.right.in(p, [&](const auto& e) {
        if (!keys.has(e.first)) keys.add(e);
      });
      both.left.in(p, [&](auto& e) {
        if (keys.has(e.first) == wanted) chosen.push_back(Make{}(e.first, e.second));
      });
    });
  } catch (...) { why.note(); }
  agree(t, operation, why);
  return chosen;
}

}  // namespace armilla::detail
