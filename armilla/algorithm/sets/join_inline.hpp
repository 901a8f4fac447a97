// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/sets/key_partitions.hpp"
#include "armilla/by_key.hpp"

namespace armilla::detail {

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
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
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
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  agree(t, operation, why);
  return chosen;
}

}  // namespace armilla::detail
