// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/views.hpp"

/// What algorithms share whose output is in the order of the input's indices, and not at the input's places.
namespace armilla::detail {

/// Element i of a range that this rank may read, wherever it lies.
template <class V>
typename V::value_type element_at(const V& v, std::size_t i) {
  std::size_t one = 1;
  scratch fetched;
  return v.window(i, one, fetched)[0];
}

/// Calls f(cursor, n, indices) for pieces of [first, end), whichever member has them, until it returns false.
template <class V, class F>
void walk_between(const V& v, std::size_t first, std::size_t end, failure& why, F f) try {
  const in_functions here;
  scratch fetched;
  for (std::size_t i = first; i < end && !why.happened();)
    if (!go_through(v, i, std::min(v.run_at(i).end, end), fetched, f)) break;
  fetched.finish();
} catch (const detail::passing&) { throw; } catch (...) {
  why.note();
}

/// What is read is on the members of what is written, or is made up.
template <class In, class Out>
void require_one_team(const In& in, const Out& out) {
  if (!out.members()) [[unlikely]]
    throw_no_ranks("algorithm");
  if constexpr (!lies_anywhere<In>) require_same_members(in.members(), out.members());
}

/// The share of member m if n things are shared out evenly.
inline std::size_t even_share(std::size_t n, rank_t m, rank_t members) {
  const auto p = std::size_t(members), k = std::size_t(m);
  return n / p * k + std::min(n % p, k);
}

/// As walk, and what all members see, one behind the other, is in the order of indices: where elements are dealt in turn, each
/// takes an even share of the indices instead of its own elements. For functions that compare an element with the ones beside
/// it; those of one element run where that is (`collect`).
template <class V, class F>
void walk_in_order(const V& v, failure& why, F f) {
  if (v.ordered()) return walk(v, why, f);
  const team& t = v.members();
  walk_between(v, even_share(v.extent(), t.rank(), t.size()), even_share(v.extent(), t.rank() + 1, t.size()), why, f);
}
/// Elements of others that walk_in_order looks at are there.
template <class V>
void enter_in_order(const V& v) {
  if (v.ordered())
    enter(v);
  else
    meet(v.members());
}

/// An element and its index on the way to the member that has an even share of the indices.
template <class T>
struct indexed_element {
  std::uint64_t index = 0;
  T value = {};
};
/// The same of bytes.
template <class T>
  requires std::is_trivially_copyable_v<T>
struct indexed_element<T> {
  std::uint64_t index;
  alignas(T) std::byte value[sizeof(T)];
};
template <class T>
indexed_element<T> make_indexed(std::size_t index, const T& value) {
  indexed_element<T> made{};
  made.index = index;
  if constexpr (std::is_trivially_copyable_v<T>)
    std::memcpy(made.value, &value, sizeof value);
  else
    made.value = value;
  return made;
}

template <class T>
const T& value_of(const indexed_element<T>& e) noexcept {
  if constexpr (std::is_trivially_copyable_v<T>)
    return *reinterpret_cast<const T*>(e.value);
  else
    return e.value;
}

/// The places of numbers in their order; equal ones as they come.
std::vector<std::size_t> stable_order(const std::vector<std::uint64_t>& numbers);

/// How many of these elements, in ascending order of their indices among `n`, each member's even share of the indices has.
template <class T>
std::vector<std::size_t> counts_by_share(const team& t, std::size_t n, const std::vector<indexed_element<T>>& mine) {
  const auto before = [](const indexed_element<T>& e, std::size_t end) { return e.index < end; };
  std::vector<std::size_t> counts;
  for (auto [m, first] = std::pair(rank_t{1}, mine.begin()); m <= t.size(); ++m) {
    const auto end = std::lower_bound(first, mine.end(), even_share(n, m, t.size()), before);
    counts.push_back(std::size_t(end - first));
    first = end;
  }
  return counts;
}

/// Sends the first counts[0] elements to member 0, the next to member 1 and so on, and returns what comes, by member. Members
/// that have no memory for it say so before the exchange. One exchange, and a smaller one of the counts.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<indexed_element<T>> send_counted(const team& t, const char* operation, std::vector<indexed_element<T>>& mine,
                                             const std::vector<std::size_t>& counts, failure& why) {
  std::vector<std::size_t> theirs(counts.size());
  t.all_to_all(std::span<const std::size_t>(counts), std::span(theirs));
  try_memory(std::accumulate(theirs.begin(), theirs.end(), std::size_t{0}) * sizeof(indexed_element<T>), why);
  agree(t, operation, why);
  return t.all_to_all_v(std::span<const indexed_element<T>>(mine), std::span<const std::size_t>(counts), std::span(theirs));
}
template <class T>
std::vector<indexed_element<T>> send_counted(const team& t, const char* operation, std::vector<indexed_element<T>>& mine,
                                             const std::vector<std::size_t>& counts, failure& why) {
  std::vector<std::vector<indexed_element<T>>> parts;
  try {
    auto next = std::make_move_iterator(mine.begin());
    for (const std::size_t n : counts) {
      parts.emplace_back(next, next + std::ptrdiff_t(n));
      next += std::ptrdiff_t(n);
    }
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  if (why.happened()) parts.assign(counts.size(), {});
  std::vector<std::vector<indexed_element<T>>> come = exchange_agreed(t, operation, parts, why);
  std::vector<indexed_element<T>> all;
  try {
    for (auto& part : come) all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  return all;
}

/// Takes elements in ascending order of their indices among `n`. Sends each to the member whose even share has its index. Returns
/// this member's share in order; elements with equal indices keep their order. If a member has failed before, all throw here.
/// What fails after the exchange is noted: the caller agrees once more. Cost: an agreement and an exchange.
template <class T>
std::vector<indexed_element<T>> in_index_order(const team& t, const char* operation, std::size_t n,
                                               std::vector<indexed_element<T>> mine, failure& why) {
  const std::vector<std::size_t> counts = counts_by_share(t, n, mine);
  count_moved(mine.size() - counts[std::size_t(t.rank())]);
  const meeting here(t);
  std::vector<indexed_element<T>> in_order;
  std::vector<indexed_element<T>> all = send_counted(t, operation, mine, counts, why);
  try {
    std::vector<std::uint64_t> indices;
    indices.reserve(all.size());
    for (const auto& e : all) indices.push_back(e.index);
    in_order.reserve(all.size());
    for (const std::size_t k : stable_order(indices)) in_order.push_back(std::move(all[k]));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  return in_order;
}

/// What the members before this one have, and all.
struct part_counts {
  std::vector<std::size_t> each;
  std::size_t before = 0, all = 0;
};
/// Collective, and a meeting: how many elements each member has found. All throw if one has failed.
part_counts count_of_all(const team& t, const char* operation, failure& why, std::size_t mine);

/// Elements [first, first + n) of `to` become those of `values`, wherever they lie.
template <class V, class T>
void write_at(const V& to, std::size_t first, std::span<const T> values, failure& why) {
  walk_between(to, first, first + values.size(), why, [&](const auto c, std::size_t n, const indices& at) {
    const T* const from = values.data() + (at(0) - first);
    if constexpr (std::is_same_v<decltype(c), T* const> && std::is_trivially_copyable_v<T>)
      std::memcpy(static_cast<void*>(c), from, n * sizeof(T));
    else
      for (std::size_t k = 0; k < n; ++k) c[k] = from[k];
    return true;
  });
}

}  // namespace armilla::detail
