// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "armilla/algorithm/sets/by_key_inline.hpp"
#include "armilla/algorithm/sets/grouping.hpp"
#include "armilla/unordered_map.hpp"

/// Algorithms that bring equal keys together: `count_by_key`, `reduce_by_key`, `group_by`, `unique_by_key`.
///
/// Use them to group a whole input at once. To update a map while you compute, call `unordered_map::update` yourself.
///
///     auto sales = am::reduce_by_key(am::read_csv<std::string, double>("sales.csv"), std::plus<>{});
///     for (const auto& [town, sum] : am::top_k(sales, 10, am::by_value)) show(town, sum);
///
/// **Input.** What each member has of a container, a view of one (this rank's elements are copied first), a file that all read
/// (`read_csv(...)`), or a range of its own (a `std::vector`; then of all ranks). Projections say which field is the
/// key and which the value, by default its first and second. They run on the rank of the element.
///
/// **Result.** A hash container over the members of the input. All members call them; they end with a fence of the team, so the
/// result is complete on return.
///
/// **Errors.** What an input or a projection throws on one rank is thrown as `remote_error` on all.
namespace armilla {

/// Returns how often each key occurs: `unordered_map<Key, std::int64_t>`. Equal keys are combined on their rank before they are
/// sent.
template <class R, class Key = std::identity>
auto count_by_key(R&& items, Key key = {});

/// Returns the values of each key, combined by `op`: `unordered_map<Key, Value>`. `op` is as for `unordered_map::update`:
/// associative, commutative, without captures.
template <class R, class Op, class Key = detail::take_first, class Value = detail::take_second>
auto reduce_by_key(R&& items, Op op, Key key = {}, Value value = {});

/// Returns the values of each key, in no particular order: `unordered_map<Key, std::vector<Value>>`. For sums of the values,
/// `reduce_by_key` with a struct of them is cheaper, because it stores nothing but the sums.
///
/// Cost: one allocation for each key, of the final size, if keys and values are trivially copyable. All pairs are then exchanged
/// at once, which takes twice their memory until the call returns. Otherwise the values of a key are gathered on their rank and
/// sent by one one-way call; if most keys come once, each value is sent by itself.
template <class R, class Key = detail::take_first, class Value = detail::take_second>
auto group_by(R&& items, Key key = {}, Value value = {});

/// Returns an element of each key: `unordered_map<Key, Value>`. Of several it is one that came first to the rank of the key; of
/// those of one rank, its first.
template <class R, class Key = detail::take_first, class Value = detail::take_second>
auto unique_by_key(R&& items, Key key = {}, Value value = {});

// ---- Implementation only below ----

template <class R, class Key>
auto count_by_key(R&& items, Key key) {
  detail::require_function(key, "count_by_key");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, std::int64_t> count(detail::members_of(items));
  detail::each_then_fence(items, count.members(), "count_by_key",
                          [&](auto&& e) { count.update(std::invoke(key, e), 1, std::plus<>{}); });
  return count;
}

template <class R, class Op, class Key, class Value>
auto reduce_by_key(R&& items, Op op, Key key, Value value) {
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

template <class R, class Key, class Value>
auto group_by(R&& items, Key key, Value value) {
  detail::require_function(key, "group_by");
  detail::require_function(value, "group_by");
  unordered_map<detail::kept<detail::projected_in<R, Key>>, std::vector<detail::kept<detail::projected_in<R, Value>>>> all(
      detail::members_of(items));
  if constexpr (detail::groups_of_bytes<decltype(all)>)
    detail::group_in_partitions(items, all, key, value);
  else
    detail::group_before_sending(items, all, key, value);
  return all;
}

template <class R, class Key, class Value>
auto unique_by_key(R&& items, Key key, Value value) {
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
