// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "armilla/algorithm/sets/by_key_inline.hpp"
#include "armilla/unordered_map.hpp"

/// What brings equal keys together. Each gives a hash container over the members of its input, complete on return: all members
/// call it, and it ends with a fence of theirs. Errors: what an input or a projection throws on one rank is thrown as
/// remote_error on all.
///
/// The input is what each member has of a container, of a file that all read (`read_csv(...)`), or a range of its own (a
/// std::vector: then of all ranks). Projections say what of an element is the key and what the value; they stay on their rank.
namespace armilla {

/// How often each key comes: unordered_map<Key, std::int64_t>. Equal keys meet on their rank first.
template <class R, class Key = std::identity>
auto count_by_key(R&& items, Key key = {}) {
  detail::require_function(key, "count_by_key");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, std::int64_t> count(detail::members_of(items));
  detail::each_then_fence(items, count.members(), "count_by_key",
                          [&](auto&& e) { count.update(std::invoke(key, e), 1, std::plus<>{}); });
  return count;
}

/// The values of each key combined: unordered_map<Key, Value>. `op` as for `update`: associative, commutative, without captures.
///
///     auto sales = am::reduce_by_key(am::read_csv<std::string, double>("sales.csv"), std::plus<>{});
template <class R, class Op, class Key = detail::take_first, class Value = detail::take_second>
auto reduce_by_key(R&& items, Op op, Key key = {}, Value value = {}) {
  detail::require_function(op, "reduce_by_key");
  detail::require_function(key, "reduce_by_key");
  detail::require_function(value, "reduce_by_key");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, detail::kept<detail::projected_in<R, Value>>> all(
      detail::members_of(items));
  using mapped = typename decltype(all)::mapped_type;
  detail::each_then_fence(items, all.members(), "reduce_by_key",
                          [&](auto&& e) { all.update(std::invoke(key, e), mapped(std::invoke(value, e)), op); });
  return all;
}

/// The values of each key together, in no particular order: unordered_map<Key, std::vector<Value>>. Where several sums of the
/// values are wanted, `reduce_by_key` with a struct of them is cheaper: nothing is kept but the sums.
template <class R, class Key = detail::take_first, class Value = detail::take_second>
auto group_by(R&& items, Key key = {}, Value value = {}) {
  detail::require_function(key, "group_by");
  detail::require_function(value, "group_by");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, std::vector<detail::kept<detail::projected_in<R, Value>>>> all(
      detail::members_of(items));
  using element = typename decltype(all)::mapped_type::value_type;
  detail::each_then_fence(items, all.members(), "group_by",
                          [&](auto&& e) { all.append(std::invoke(key, e), element(std::invoke(value, e))); });
  return all;
}

/// An element of each key: unordered_map<Key, Value>. Of several it is one that came first to the rank of the key: of those of
/// one rank its first.
template <class R, class Key = detail::take_first, class Value = detail::take_second>
auto unique_by_key(R&& items, Key key = {}, Value value = {}) {
  detail::require_function(key, "unique_by_key");
  detail::require_function(value, "unique_by_key");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, detail::kept<detail::projected_in<R, Value>>> all(
      detail::members_of(items));
  using mapped = typename decltype(all)::mapped_type;
  detail::each_then_fence(items, all.members(), "unique_by_key",
                          [&](auto&& e) { all.insert(std::invoke(key, e), mapped(std::invoke(value, e))); });
  return all;
}

}  // namespace armilla
