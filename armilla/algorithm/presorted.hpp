// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "armilla/algorithm/local_sort.hpp"
#include "armilla/container/failure_agreement.hpp"
#include "armilla/container/in_functions.hpp"
#include "armilla/container/state.hpp"
#include "armilla/global/transfer.hpp"
#include "armilla/team/collectives.hpp"

/// What is in order, or in the opposite order, before a sort.
namespace armilla::detail {

enum class found_order : std::uint32_t { none, sorted, reversed };

/// An order in which elements go that are to be reversed: where `strictly`, equal ones must not, as they would change places.
template <class T, class Order>
struct opposite_order {
  static constexpr number_order meant = Order::meant;
  const Order& comes_first;
  bool strictly;
  bool operator()(const T& a, const T& b) const { return strictly ? !comes_first(a, b) : comes_first(b, a); }
};

/// What a member shows of its part before a sort.
template <class T>
struct part_ends {
  T first, last;
  std::uint64_t n;
  found_order order;  // one element is in order
};

/// Two passes of which at least one ends soon.
template <class T, class Order>
found_order order_here(std::span<const T> part, const Order& comes_first, bool stable) {
  const in_functions here;
  if (is_sorted_here(part.data(), part.size(), comes_first)) return found_order::sorted;
  const opposite_order<T, Order> opposite{comes_first, stable};
  return is_sorted_here(part.data(), part.size(), opposite) ? found_order::reversed : found_order::none;
}

/// How the parts of all members, one behind the other, are in order. Equal elements are in both orders, unless they must stay.
template <class T, class Order>
found_order order_of_parts(const team& t, std::span<const T> part, const Order& comes_first, bool stable) {
  part_ends<T> mine{T(), T(), 0, found_order::sorted};
  if (!part.empty()) mine = {part.front(), part.back(), part.size(), order_here(part, comes_first, stable)};
  const opposite_order<T, Order> opposite{comes_first, stable};
  bool sorted = true, reversed = true;
  const part_ends<T>* before = nullptr;
  const std::vector<part_ends<T>> all = t.all_gather(mine);
  for (const part_ends<T>& p : all) {
    if (p.n == 0) continue;
    sorted = sorted && p.order == found_order::sorted && (before == nullptr || !comes_first(p.first, before->last));
    const bool may_turn = p.order == found_order::reversed || p.n == 1 ||
                          (p.order == found_order::sorted && !stable && !comes_first(p.first, p.last));
    reversed = reversed && may_turn && (before == nullptr || !opposite(p.first, before->last));
    if (!sorted && !reversed) return found_order::none;
    before = &p;
  }
  return sorted ? found_order::sorted : found_order::reversed;
}

/// The elements of all members in the opposite order; each member has as many as before. Collective. Each shows its part turned
/// round, and takes what belongs to it in runs: memory once more that of the elements.
template <class T>
void reverse_parts(const team& t, std::span<T> part, const placement& where) {
  if (t.size() == 1) return std::reverse(part.begin(), part.end());
  const container_state turned(t, where, sizeof(T), alignof(T), [](std::byte*, std::size_t) {});
  std::reverse_copy(part.begin(), part.end(), reinterpret_cast<T*>(global_ptr<std::byte>(turned.blocks.at(turned.me)).local()));
  meet(t);
  std::size_t begin = 0;  // of this member's part
  for (rank_t m = 0; m < t.rank(); ++m) begin += where.count(m);
  std::size_t behind = where.size();
  for (rank_t m = 0; m < t.size(); ++m) {
    const std::size_t first = behind - where.count(m);  // where the first of what m shows belongs
    const std::size_t from = std::max(first, begin), end = std::min(behind, begin + part.size());
    behind = first;
    if (from >= end) continue;
    get(part.subspan(from - begin, end - from), global_ptr<const T>(turned.blocks.at(m)) + std::ptrdiff_t(from - first));
    if (m != t.rank()) count_moved(end - from);
  }
  sync_memory();
  count_elements(part.size());
}

}  // namespace armilla::detail
