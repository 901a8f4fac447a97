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
#include "armilla/algorithm/sets/by_key_inline.hpp"
#include "armilla/algorithm/sets/large_array.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/hash.hpp"

/// Pairs of a key and a value go to the rank of their key, and lie there in partitions that fit into a cache.
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
  unsigned shift = 0;                 // of the bits that choose the partition

  /// Few enough for the translation buffers, and of some 2,048 of `elements` each.
  key_partitions(const team& t, std::size_t elements) : members(std::size_t(t.size())) {
    const std::size_t wanted = elements / members / 2048;
    each = wanted < 2 ? 1 : wanted > 4096 ? 4096 : std::bit_ceil(wanted);
  }
  std::size_t count() const noexcept { return members * each; }
  std::size_t of(std::uint64_t hash) const noexcept {
    return std::size_t((hash >> 32) * members >> 32) * each + (std::size_t(hash) >> shift & (each - 1));
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
  std::size_t size_of(std::size_t p) const noexcept {
    std::size_t n = 0;
    for (std::size_t r = p; r < runs_.size(); r += each_) n += runs_[r].n;
    return n;
  }
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
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
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
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
    mine = {};
    std::vector<std::vector<element>> come = exchange_in_rounds(t, operation, std::move(parts), why);
    try {
      for (std::vector<element>& some : come)
        came_.insert(came_.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
    runs_ = {{came_.data(), came_.size()}};
    size_ = came_.size();
  }

  struct nothing {};
  std::size_t each_, size_ = 0;
  std::conditional_t<as_bytes, large_array<element>, nothing> dealt_;
  std::vector<element> came_;
  std::vector<run> runs_;  // by the member from which they come, then by partition
};

/// Elements that can be read where they lie, as often as needed: nothing can be thrown.
template <class Part, class Element>
concept lies_ready = trivially_sendable<Element> && std::ranges::contiguous_range<Part> && std::ranges::borrowed_range<Part> &&
                     std::ranges::sized_range<Part>;

/// What this member brings. What its projections or its file throw comes to all members in the next agreement.
template <class Element, class R, class Key = take_first, class Value = take_second>
auto pairs_of(R& items, failure& why, const Key& key = {}, const Value& value = {}) {
  using part_type = decltype(part_of(items));
  if constexpr (lies_ready<part_type, Element> && std::is_same_v<Key, take_first> && std::is_same_v<Value, take_second>) {
    auto&& part = part_of(items);
    return std::span<const std::ranges::range_value_t<part_type>>(std::ranges::data(part), std::ranges::size(part));
  } else {
    std::vector<Element> all;
    try {
      auto&& part = part_of(items);
      const in_functions here;
      if constexpr (requires { std::ranges::size(part); }) all.reserve(std::ranges::size(part));
      for (auto&& e : part)
        all.push_back({decltype(Element::first)(std::invoke(key, e)), decltype(Element::second)(std::invoke(value, e))});
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note(all.size());
    }
    return all;
  }
}

}  // namespace armilla::detail
