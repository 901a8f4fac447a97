// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "armilla/algorithm/order/exchange_rounds.hpp"
#include "armilla/algorithm/order/selection.hpp"
#include "armilla/algorithm/order/sort_loops.hpp"
#include "armilla/array.hpp"
#include "armilla/elementwise.hpp"

/// What `sort` does inside.
namespace armilla::detail {

/// Shows elements that travel as messages.
template <class T>
class shown_elements final : public offer_exchange {
 public:
  explicit shown_elements(const team& t) : t_(t) {}
  shown show(std::span<const cut> cuts, std::span<const offer> mine, std::vector<offer>& all) override {
    std::vector<shown_element> offers(mine.size());
    for (std::size_t k = 0; k < mine.size(); ++k) {
      offers[k].at = mine[k];
      if (mine[k].stands_for > 0) offers[k].value = static_cast<const T*>(cuts[k].part)[mine[k].place];
    }
    shown_ = t_.all_gather_v(offers);
    all.clear();
    for (const shown_element& e : shown_) all.push_back(e.at);
    return {reinterpret_cast<const std::byte*>(shown_.data()), sizeof(shown_element)};
  }

 private:
  struct shown_element {
    T value;
    offer at;
  };
  const team& t_;
  std::vector<shown_element> shown_;
};

/// Sorts elements that others cannot read where they lie (texts, vectors). Each member sorts what it has, finds which of it
/// goes to which member, and gets all its share in one exchange, or in rounds of it; so each element travels at most once.
template <class T, class Order>
void sort_owned(const team& t, std::span<T> part, const placement& where, const char* operation, const Order& comes_first,
                failure& why) {
  sort_here(part.data(), part.size(), comes_first, true);
  agree(t, operation, why);
  const std::size_t members = std::size_t(t.size());
  if (members == 1 || where.size() == 0) return;
  std::vector<cut> cuts;
  std::size_t before = 0;
  for (rank_t m = 0; m + 1 < t.size(); ++m) cuts.push_back({part.data(), part.size(), before += where.count(m)});
  shown_elements<T> offers(t);
  const bool found = find_cuts(t, cuts, sizeof(T), {&comes_first, comes_first_erased<T, Order>}, offers, why);
  if (!cuts_agreed(t, operation, why, found)) return;
  std::vector<std::vector<T>> shares(members);
  try {
    for (std::size_t m = 0; m < members; ++m) {
      const std::size_t first = m == 0 ? 0 : cuts[m - 1].lower, end = m + 1 == members ? part.size() : cuts[m].lower;
      shares[m].assign(std::move_iterator(part.data() + first), std::move_iterator(part.data() + end));
      if (m != std::size_t(t.rank())) count_moved(end - first);
    }
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  std::vector<std::vector<T>> come = exchange_in_rounds(t, operation, std::move(shares), why);
  if (!why.happened()) {
    T* to = part.data();
    for (std::vector<T>& of_member : come) to = std::move(of_member.begin(), of_member.end(), to);
    count_elements(part.size());
    sort_here(part.data(), part.size(), comes_first, true);
  }
  agree(t, operation, why);
}

/// A container, not a view of one.
template <class V>
concept is_whole = requires(const V& v) {
  { v.places() } -> std::same_as<typename V::value_type*>;
};

template <class V, class Comp, class Proj>
void sort_range(const V& v, const char* operation, bool stable, Comp& comp, Proj& proj) {
  require_function(comp, operation);
  require_function(proj, operation);
  using T = typename V::value_type;
  require_sized(v);
  static_assert(V::writable, "armilla: what is sorted must be writable");
  algorithm_call why(operation, v);
  const element_order<T, Comp, Proj> comes_first(comp, proj, why);
  const team& t = v.members();
  if (t.size() > 1) refuse_in_functions();
  const auto sort_all = [&](std::span<T> part, const placement& where) {
    using order = element_order<T, Comp, Proj>;
    if constexpr (order::meant != number_order::other) {
      return sort_parts(t, part.data(), where, operation, stable,
                        number_sort<as_sorted<T>>(order::meant == number_order::ascending), nullptr, why);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      return sort_parts(t, part.data(), where, operation, stable, sort_loops<kept_as<T>, order>::functions, &comes_first, why);
    } else {
      sort_owned(t, part, where, operation, comes_first, why);
      return true;
    }
  };
  if constexpr (is_whole<V>) {
    if (const placement* const where = v.common().where; where->linear())
      if (sort_all(std::span<T>(v.places(), where->count(t.rank())), *where)) return;
  }
  array<T> in_blocks(v.extent(), on(t));
  copy_all(v.reading(), views::all(in_blocks));
  sort_all(in_blocks.local(), in_blocks.placement());
  copy_all(views::all(in_blocks).reading(), v);
}

}  // namespace armilla::detail
