// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/required_function.hpp"
#include "armilla/team.hpp"
#include "armilla/team/collectives/arrays.hpp"
#include "armilla/team/collectives/collective_bulk.hpp"
#include "armilla/team/collectives/values.hpp"

/// Collectives over all ranks of the job: broadcast, reduce, gather and exchange values and arrays.
///
/// Use them where all ranks need the same result or exchange data at the same time. Include this header to call collectives of
/// any team; armilla/team.hpp describes each one, and the rules for all. To query all ranks from one rank, use `call_all`; for
/// elements of containers, use an algorithm.
///
///     const double largest = am::all_reduce(error, [](double a, double b) { return a > b ? a : b; });
///     const std::string name = am::broadcast(std::string("run 7"));                 // "run 7" on all ranks
///     const std::vector<int> all = am::all_gather(am::rank());
///     am::world().reduce(1.0, std::plus<>{}, 0);                                    // result on one root: no free form
///
/// Each function is the member of `world()` of the same name, with the same rules, errors and cost. `reduce`, `gather`, `scatter`
/// and the scans have no free form: without a team these names are algorithms over ranges.
namespace armilla {

// ---- For all ranks of the job ----

/// Returns the root's `value` on all ranks: `world().broadcast(value, root)`.
template <sendable_value T>
T broadcast(const T& value, rank_t root = 0) {
  return world().broadcast(value, root);
}

/// Copies the root's `data` to `data` on all other ranks: `world().broadcast(data, root)`.
template <class T>
  requires trivially_sendable<T>
void broadcast(std::span<T> data, rank_t root = 0) {
  world().broadcast(data, root);
}

/// Returns the reduction of all ranks' values: `world().all_reduce(value, op)`.
template <sendable_value T, combines<T> Op>
T all_reduce(const T& value, Op op) {
  return world().all_reduce(value, static_cast<Op&&>(op));
}

/// Reduces vectors or arrays element by element: `all_reduce(each(values), op)`. See armilla/each.hpp.
template <class V, class Op>
V all_reduce(detail::each_of<V> all, Op op) {
  return world().all_reduce(all, static_cast<Op&&>(op));
}

/// Reduces arrays element by element, in place: `world().all_reduce(data, op)`.
template <class T, combines<T> Op>
  requires trivially_sendable<T>
void all_reduce(std::span<T> data, Op op) {
  world().all_reduce(data, static_cast<Op&&>(op));
}

/// Returns all ranks' values, by rank: `world().all_gather(value)`.
template <sendable_value T>
std::vector<T> all_gather(const T& value) {
  return world().all_gather(value);
}

/// Copies `mine` of rank i to slice i of `all`: `world().all_gather(mine, all)`.
template <class T>
  requires trivially_sendable<T>
void all_gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all) {
  world().all_gather(mine, all);
}

/// Returns the arrays of all ranks, one after the other: `world().all_gather_v(mine, counts)`.
template <class T>
  requires trivially_sendable<T>
std::vector<T> all_gather_v(std::span<const T> mine, std::span<std::size_t> counts) {
  return world().all_gather_v(mine, counts);
}

/// Returns the vectors of all ranks, one after the other: `world().all_gather_v(mine)`.
template <sendable_value T>
std::vector<T> all_gather_v(const std::vector<T>& mine) {
  return world().all_gather_v(mine);
}

/// Sends element i of `values` to rank i: `world().all_to_all(values)`.
template <sendable_value T>
std::vector<T> all_to_all(const std::vector<T>& values) {
  return world().all_to_all(values);
}

/// Sends slice i of `in` to rank i: `world().all_to_all(in, out)`.
template <class T>
  requires trivially_sendable<T>
void all_to_all(std::span<const std::type_identity_t<T>> in, std::span<T> out) {
  world().all_to_all(in, out);
}

/// Sends `parts[i]` to rank i: `world().all_to_all_v(parts)`.
template <sendable_value T>
std::vector<std::vector<T>> all_to_all_v(const std::vector<std::vector<T>>& parts) {
  return world().all_to_all_v(parts);
}

/// Sends the next `in_counts[i]` elements to rank i: `world().all_to_all_v(in, in_counts, out_counts)`.
template <class T>
  requires trivially_sendable<T>
std::vector<T> all_to_all_v(std::span<const T> in, std::span<const std::size_t> in_counts, std::span<std::size_t> out_counts) {
  return world().all_to_all_v(in, in_counts, out_counts);
}

/// Returns the reduction of element i of all ranks' `values` on rank i: `world().reduce_scatter(values, op)`.
template <sendable_value T, combines<T> Op>
T reduce_scatter(const std::vector<T>& values, Op op) {
  return world().reduce_scatter(values, static_cast<Op&&>(op));
}

/// Reduces slice i of all ranks' `all` into `mine` of rank i: `world().reduce_scatter(all, mine, op)`.
template <class T, combines<T> Op>
  requires trivially_sendable<T>
void reduce_scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) {
  world().reduce_scatter(all, mine, static_cast<Op&&>(op));
}

// ---- Mistakes: these do not compile, and say what to write instead ----

template <class F, class... A>
  requires((std::is_empty_v<std::decay_t<F>> || std::is_pointer_v<std::decay_t<F>>) && std::is_invocable_v<F&, const A&...>)
void broadcast(F&&, const A&...) {
  static_assert(detail::dependent_false<F>, "armilla: a one-way call of all ranks is async_all(f, arguments...)");
}
template <auto F, class... A>
void broadcast(const A&...) {
  static_assert(detail::dependent_false<decltype(F)>, "armilla: a one-way call of all ranks is async_all<f>(arguments...)");
}
template <detail::no_root T>
T broadcast(rank_t, const T& value) {
  static_assert(detail::dependent_false<T>, "armilla: the value comes first, then the root: broadcast(value, root)");
  return value;
}
template <class V, class Op>
  requires detail::combines_elements_only<Op, V>
V all_reduce(const V& values, Op) {
  static_assert(detail::dependent_false<V>, "armilla: the operation combines elements: all_reduce(each(values), op)");
  return values;
}

template <detail::unsendable T>
T broadcast(const T&, rank_t = 0) {
  detail::refuse_value<T>();
}
template <detail::unsendable T, class Op>
T all_reduce(const T&, Op) {
  detail::refuse_value<T>();
}
template <detail::unsendable T>
std::vector<T> all_gather(const T&) {
  detail::refuse_value<T>();
}
template <detail::unsendable T>
std::vector<T> all_gather_v(const std::vector<T>&) {
  detail::refuse_value<T>();
}
template <detail::unsendable T>
std::vector<T> all_to_all(const std::vector<T>&) {
  detail::refuse_value<T>();
}
template <detail::unsendable T>
std::vector<std::vector<T>> all_to_all_v(const std::vector<std::vector<T>>&) {
  detail::refuse_value<T>();
}
template <detail::unsendable T, class Op>
T reduce_scatter(const std::vector<T>&, Op) {
  detail::refuse_value<T>();
}
template <class T>
T all_reduce(const T& value) {
  static_assert(detail::dependent_false<T>, "armilla: the operation is missing: all_reduce(value, std::plus<>{})");
  return value;
}
template <sendable_value T, detail::no_operation_on<T> Op>
T all_reduce(const T& value, const Op&) {
  static_assert(detail::dependent_false<T>,
                "armilla: the operation is a function object of two values: all_reduce(value, std::plus<>{})");
  return value;
}
template <sendable_value T, combines<T> Op, std::integral Root>
std::optional<T> reduce(const T& value, Op, Root) {
  static_assert(detail::dependent_false<T>,
                "armilla: without a team reduce is an algorithm over ranges: write world().reduce(value, op, root)");
  return value;
}

// ---- Implementation of the members of `team` only below ----
//
// Values that fit into a cache line use flag lines (team/core/record.hpp): each member polls those of the others, in one round.
// Longer values use boards or transfers (docs/design/teams.md).

template <sendable_value T>
T team::broadcast(const T& value, rank_t root) const {
  return detail::broadcast_from(detail::begin<T>(record_, detail::collective::broadcast, root), value, std::uint32_t(root));
}

template <class T>
  requires trivially_sendable<T>
void team::broadcast(std::span<T> data, rank_t root) const {
  detail::broadcast_bytes(record_, reinterpret_cast<std::byte*>(data.data()), data.size_bytes(), detail::mark_of<T>(), root);
}

template <sendable_value T>
T team::scatter(const std::vector<T>& values, rank_t root) const {
  const bool is_root = record_ != nullptr && record_->rank == std::uint32_t(root);
  if (is_root) detail::require_one_each(record_, detail::collective::scatter, values.size(), root);
  detail::team_record& t = detail::begin<T>(record_, detail::collective::scatter, root);
  detail::exchange<T> e(t, detail::collective::scatter);
  const auto& each = detail::addressable(values);
  for (std::uint32_t i = 0; is_root && i < t.size; ++i)
    if (i != t.rank) e.send(i, detail::plain(each[i]));
  if (!is_root) e.receive(std::uint32_t(root));
  e.run();
  return is_root ? T(detail::copy_of(values[t.rank])) : e.take(std::uint32_t(root));
}

template <class T>
  requires trivially_sendable<T>
void team::scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, rank_t root) const {
  detail::scatter_array(record_, reinterpret_cast<const std::byte*>(all.data()), all.size_bytes(),
                        reinterpret_cast<std::byte*>(mine.data()), mine.size_bytes(), detail::mark_of<T>(), root);
}

template <sendable_value T, combines<T> Op>
std::optional<T> team::reduce(const T& value, Op op, rank_t root) const {
  detail::require_operation(record_, op, detail::collective::reduce, root);
  return detail::reduce_value(detail::begin<T>(record_, detail::collective::reduce, root), value, op, std::uint32_t(root));
}

template <sendable_value T, combines<T> Op>
T team::all_reduce(const T& value, Op op) const {
  detail::require_operation(record_, op, detail::collective::all_reduce);
  using namespace detail;
  team_record& t = detail::begin<T>(record_, collective::all_reduce);
  const char* what = name_of(collective::all_reduce);
  if constexpr (array_of_one<T> && !keeps_order<Op>)
    if (t.by_pairs(sizeof(T))) [[unlikely]]
      return fold_as_array(value, op, collective::all_reduce,
                           [&](std::byte* sum, const array_fold& how) { all_reduce_by_pairs(t, sum, how.element, how); });
  if constexpr (one_line<T>) {
    const std::uint64_t step = post_value(t, value, what);
    T sum = fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return value_of<T>(t, i, step, what); });
    t.known = step;
    return sum;
  } else {
    if constexpr (on_one_board<T>)
      if (t.host_leaders.size() < few_hosts) {
        const std::uint64_t step = post_on_board(t, &value, sizeof value, what);
        T sum = fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return value_on_board<T>(t, i, step, what); });
        t.known = step;
        return sum;
      }
    if (t.size > 2) {  // less work in all than a fold on each member
      const collective_part part(t);
      const std::optional<T> sum = reduce_value(t, value, op, 0);
      return broadcast_from(t, sum ? *sum : value, 0);
    }
    exchange<T> e(t, collective::all_reduce);
    e.send_shared(0, t.size, value);
    e.receive(0, t.size);
    e.run();
    return fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return e.take(i); });
  }
}

template <class T, combines<T> Op>
  requires trivially_sendable<T>
void team::reduce(std::span<T> data, Op op, rank_t root) const {
  detail::require_operation(record_, op, detail::collective::reduce, root);
  detail::elementwise<T, Op> each(op);
  detail::reduce_array(record_, reinterpret_cast<std::byte*>(data.data()), data.size_bytes(), detail::mark_of<T>(), each.how(),
                       root);
  each.rethrow();
}

template <class T, combines<T> Op>
  requires trivially_sendable<T>
void team::all_reduce(std::span<T> data, Op op) const {
  detail::require_operation(record_, op, detail::collective::all_reduce);
  detail::elementwise<T, Op> each(op);
  detail::all_reduce_array(record_, reinterpret_cast<std::byte*>(data.data()), data.size_bytes(), detail::mark_of<T>(),
                           each.how());
  each.rethrow();
}

template <sendable_value T, combines<T> Op>
T team::reduce_scatter(const std::vector<T>& values, Op op) const {
  detail::require_operation(record_, op, detail::collective::reduce_scatter);
  const std::vector<T> theirs = detail::exchange_each(record_, detail::collective::reduce_scatter, values);
  T sum = theirs.front();
  for (std::size_t i = 1; i < theirs.size(); ++i) sum = T(op(sum, theirs[i]));
  return sum;
}

template <class T, combines<T> Op>
  requires trivially_sendable<T>
void team::reduce_scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) const {
  detail::require_operation(record_, op, detail::collective::reduce_scatter);
  detail::elementwise<T, Op> each(op);
  detail::reduce_scatter_array(record_, reinterpret_cast<const std::byte*>(all.data()), all.size_bytes(),
                               reinterpret_cast<std::byte*>(mine.data()), mine.size_bytes(), detail::mark_of<T>(), each.how());
  each.rethrow();
}

template <sendable_value T, combines<T> Op>
T team::inclusive_scan(const T& value, Op op) const {
  detail::require_operation(record_, op, detail::collective::inclusive_scan);
  using namespace detail;
  team_record& t = detail::begin<T>(record_, collective::inclusive_scan);
  if constexpr (array_of_one<T> && !keeps_order<Op>)
    if (t.scans_by_pairs(sizeof(T))) [[unlikely]]
      return fold_as_array(value, op, collective::inclusive_scan,
                           [&](std::byte* sum, const array_fold& how) { inclusive_scan_by_pairs(t, sum, how.element, how); });
  if constexpr (one_line<T>) {
    const std::uint64_t step = post_value(t, value, "team::inclusive_scan");
    return fold_first<T>(t, t.rank + 1, value, op,
                         [&](std::uint32_t i) { return value_of<T>(t, i, step, "team::inclusive_scan"); });
  } else {
    exchange<T> e(t, collective::inclusive_scan);
    e.send_shared(t.rank, t.size, value);
    e.receive(0, t.rank);
    e.run();
    return fold_first<T>(t, t.rank + 1, value, op, [&](std::uint32_t i) { return e.take(i); });
  }
}

template <sendable_value T, combines<T> Op>
T team::exclusive_scan(const T& value, T first, Op op) const {
  detail::require_operation(record_, op, detail::collective::exclusive_scan);
  using namespace detail;
  team_record& t = detail::begin<T>(record_, collective::exclusive_scan);
  if constexpr (array_of_one<T> && !keeps_order<Op>)
    if (t.scans_by_pairs(sizeof(T))) [[unlikely]] {
      const partial_fold<T> mine{value};
      return fold_as_array(first, op, collective::exclusive_scan, [&](std::byte* sum, const array_fold& how) {
        exclusive_scan_by_pairs(t, reinterpret_cast<const std::byte*>(&mine), sum, how.element, how);
      });
    }
  if constexpr (one_line<T>) {
    const char* what = name_of(collective::exclusive_scan);
    const std::uint64_t step = post_value(t, value, what);
    return fold<T>(t, std::move(first), 0, t.rank, value, op, [&](std::uint32_t i) { return value_of<T>(t, i, step, what); });
  } else {
    exchange<T> e(t, collective::exclusive_scan);
    e.send_shared(t.rank, t.size, value);
    e.receive(0, t.rank);
    e.run();
    return fold<T>(t, std::move(first), 0, t.rank, value, op, [&](std::uint32_t i) { return e.take(i); });
  }
}

template <class T, combines<T> Op>
  requires trivially_sendable<T>
void team::inclusive_scan(std::span<T> data, Op op) const {
  detail::require_operation(record_, op, detail::collective::inclusive_scan);
  detail::elementwise<T, Op> each(op);
  detail::inclusive_scan_array(record_, reinterpret_cast<std::byte*>(data.data()), data.size_bytes(), detail::mark_of<T>(),
                               each.how());
  each.rethrow();
}

template <class T, combines<T> Op>
  requires trivially_sendable<T>
void team::exclusive_scan(std::span<T> data, std::type_identity_t<T> first, Op op) const {
  detail::require_operation(record_, op, detail::collective::exclusive_scan);
  detail::elementwise<T, Op> each(op);
  std::vector<detail::held<T>> before(data.size(), detail::held<T>{first});
  detail::exclusive_scan_array(record_, reinterpret_cast<const std::byte*>(data.data()),
                               reinterpret_cast<std::byte*>(before.data()), data.size_bytes(), detail::mark_of<T>(), each.how());
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = before[k].value;
  each.rethrow();
}

template <sendable_value T>
std::vector<T> team::gather(const T& value, rank_t root) const {
  using namespace detail;
  team_record& t = detail::begin<T>(record_, collective::gather, root);
  const bool is_root = t.rank == std::uint32_t(root);
  std::vector<T> all;
  const auto fill = [&](auto get) {
    all.reserve(t.size);
    for (std::uint32_t i = 0; i < t.size; ++i) i == t.rank ? all.push_back(detail::copy_of(value)) : all.push_back(get(i));
  };
  if constexpr (trivially_sendable<T> && !std::is_same_v<T, bool>)
    if (t.by_pairs(0) && sizeof(T) <= longest_by_pairs) [[unlikely]]
      return gather_values(value, is_root ? t.size : 0, [&](const std::byte* mine, std::byte* theirs) {
        gather_by_pairs(t, mine, sizeof(T), theirs, std::uint32_t(root));
      });
  if constexpr (one_line<T>) {
    const std::uint64_t step = post_value(t, value, "team::gather");
    if (is_root) fill([&](std::uint32_t i) { return value_of<T>(t, i, step, "team::gather"); });
  } else {
    exchange<T> e(t, collective::gather);
    if (is_root)
      e.receive(0, t.size);
    else
      e.send(std::uint32_t(root), value);
    e.run();
    if (is_root) fill([&](std::uint32_t i) { return e.take(i); });
  }
  return all;
}

template <sendable_value T>
std::vector<T> team::all_gather(const T& value) const {
  using namespace detail;
  team_record& t = detail::begin<T>(record_, collective::all_gather);
  std::vector<T> all;
  all.reserve(t.size);
  const auto fill = [&](auto get) {
    for (std::uint32_t i = 0; i < t.size; ++i) i == t.rank ? all.push_back(detail::copy_of(value)) : all.push_back(get(i));
  };
  if constexpr (trivially_sendable<T> && !std::is_same_v<T, bool>)
    if (t.by_pairs(0) && sizeof(T) < longest_block_by_pairs(t)) [[unlikely]]
      return gather_values(value, t.size,
                           [&](const std::byte* mine, std::byte* theirs) { all_gather_by_pairs(t, mine, sizeof(T), theirs); });
  if constexpr (one_line<T>) {
    const std::uint64_t step = post_value(t, value, "team::all_gather");
    fill([&](std::uint32_t i) { return value_of<T>(t, i, step, "team::all_gather"); });
    t.known = step;
  } else {
    exchange<T> e(t, collective::all_gather);
    e.send_shared(0, t.size, value);
    e.receive(0, t.size);
    e.run();
    fill([&](std::uint32_t i) { return e.take(i); });
  }
  return all;
}

template <class T>
  requires trivially_sendable<T>
void team::gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all, rank_t root) const {
  detail::gather_array(record_, reinterpret_cast<const std::byte*>(mine.data()), mine.size_bytes(),
                       reinterpret_cast<std::byte*>(all.data()), all.size_bytes(), detail::mark_of<T>(), root);
}

template <class T>
  requires trivially_sendable<T>
void team::all_gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all) const {
  detail::all_gather_array(record_, reinterpret_cast<const std::byte*>(mine.data()), mine.size_bytes(),
                           reinterpret_cast<std::byte*>(all.data()), all.size_bytes(), detail::mark_of<T>());
}

template <class T>
  requires trivially_sendable<T>
std::vector<T> team::all_gather_v(std::span<const T> mine, std::span<std::size_t> counts) const {
  detail::all_gather_parts parts(record_, reinterpret_cast<const std::byte*>(mine.data()), mine.size_bytes(), counts, sizeof(T),
                                 detail::mark_of<T>());
  std::vector<T> all(parts.total());
  parts.run(reinterpret_cast<std::byte*>(all.data()));
  return all;
}

template <class T>
  requires trivially_sendable<T>
void team::all_to_all(std::span<const std::type_identity_t<T>> in, std::span<T> out) const {
  detail::all_to_all_bytes(record_, reinterpret_cast<const std::byte*>(in.data()), in.size_bytes(),
                           reinterpret_cast<std::byte*>(out.data()), out.size_bytes(), sizeof(T), detail::mark_of<T>());
}

template <sendable_value T>
std::vector<T> team::all_gather_v(const std::vector<T>& mine) const {
  if constexpr (trivially_sendable<T> && !std::is_same_v<T, bool>) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(size()));
    return all_gather_v(std::span<const T>(mine), counts);
  } else {
    std::vector<T> all;
    for (std::vector<T>& theirs : all_gather(mine))
      for (auto&& each : theirs) all.push_back(std::move(each));
    return all;
  }
}

template <sendable_value T>
std::vector<T> team::all_to_all(const std::vector<T>& values) const {
  return detail::exchange_each(record_, detail::collective::all_to_all, values);
}

template <sendable_value T>
std::vector<std::vector<T>> team::all_to_all_v(const std::vector<std::vector<T>>& parts) const {
  using namespace detail;
  require_one_each(record_, collective::all_to_all_v, parts.size());
  team_record& t = detail::begin<std::vector<T>>(record_, collective::all_to_all_v);
  exchange<std::vector<T>> e(t, collective::all_to_all_v);
  for (std::uint32_t i = 1; i < t.size; ++i) e.send((t.rank + i) % t.size, parts[(t.rank + i) % t.size]);
  e.receive(0, t.size);
  e.run();
  std::vector<std::vector<T>> all;
  all.reserve(t.size);
  for (std::uint32_t i = 0; i < t.size; ++i) i == t.rank ? all.push_back(detail::copy_of(parts[i])) : all.push_back(e.take(i));
  return all;
}

template <class T>
  requires trivially_sendable<T>
std::vector<T> team::all_to_all_v(std::span<const T> in, std::span<const std::size_t> in_counts,
                                  std::span<std::size_t> out_counts) const {
  detail::flat_all_to_all_v moves(record_, in.size(), in_counts, out_counts, sizeof(T), detail::mark_of<T>());
  std::vector<T> out(moves.total());
  moves.run(reinterpret_cast<const std::byte*>(in.data()), reinterpret_cast<std::byte*>(out.data()));
  return out;
}

}  // namespace armilla
