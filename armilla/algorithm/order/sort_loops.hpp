// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "armilla/algorithm/order/local_sort.hpp"
#include "armilla/algorithm/order/sort_core.hpp"
#include "armilla/container/place/in_functions.hpp"

/// The loops of a sort over elements of one type.
namespace armilla::detail {

/// An order in which elements go that are to be reversed: where `strictly`, equal ones must not, as they would change places.
template <class T, class Order>
struct opposite_order {
  static constexpr number_order meant = Order::meant;
  const Order& comes_first;
  bool strictly;
  bool operator()(const T& a, const T& b) const { return strictly ? !comes_first(a, b) : comes_first(b, a); }
};

template <class T, class Order>
class sort_loops {
 public:
  static constexpr bool remembers = Order::meant == number_order::other;

  static void sort(const void* order, void* elements, std::size_t n, bool stable) {
    sort_here(static_cast<T*>(elements), n, as_order(order), stable);
  }
  /// Two passes of which at least one ends soon.
  static found_order found(const void* order, const void* elements, std::size_t n, bool stable) {
    const in_functions here;
    const auto* const first = static_cast<const T*>(elements);
    if (is_sorted_here(first, n, as_order(order))) return found_order::sorted;
    const opposite_order<T, Order> opposite{as_order(order), stable};
    return is_sorted_here(first, n, opposite) ? found_order::reversed : found_order::none;
  }
  static void deal(const void* order, dealing& d) {
    const Order& comes_first = as_order(order);
    const auto* const sample = static_cast<const T*>(d.sample);
    if constexpr (remembers)
      deal_and_remember(d, partition_plan<T>(d.groups, sample), comes_first);
    else if (d.groups.one_with_two_ends())
      deal_in_three(d, sample[d.groups[0].low], sample[d.groups[0].high], comes_first);
    else
      deal_numbers(d, partition_plan<T>(d.groups, sample), comes_first);
  }
  static constexpr sort_functions functions{sizeof(T), alignof(T), remembers, comes_first_erased<T, Order>, sort, found, deal};

 private:
  static const Order& as_order(const void* order) { return order_behind<Order>(order); }
  static const T* begin(const dealing& d) { return static_cast<const T*>(d.part); }
  static void add_up(dealing& d) {
    for (std::size_t b = 0; b < d.groups.buckets(); ++b) d.borders[b + 1] = d.next[b + 1] += d.next[b];
  }

  static void deal_in_three(dealing& d, const T from, const T to, const Order& comes_first) {
    if constexpr (std::floating_point<T>) {
      constexpr bool up = Order::meant == number_order::ascending;
      if (from == from && to == to)  // one comparison an element and border; what is no number is beyond
        return deal_between(
            d, [from](T e) { return up ? e < from : from < e; }, [to](T e) { return up ? !(e <= to) : !(to <= e); });
    }
    deal_between(
        d, [&comes_first, from](const T& e) { return comes_first(e, from); },
        [&comes_first, to](const T& e) { return comes_first(to, e); });
  }
  // Budget: no branch, and three stores an element, of which one stays. The bounds are values: the stores might change them else.
  template <class Below, class Beyond>
  static void deal_between(dealing& d, const Below comes_below, const Beyond comes_beyond) {
    const T* const part = begin(d);
    const std::size_t n = d.n;
    std::size_t below = 0, beyond = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const T& e = part[k];
      below += std::size_t(comes_below(e));
      beyond += std::size_t(comes_beyond(e));
    }
    d.borders[0] = 0, d.borders[1] = below, d.borders[2] = n - beyond, d.borders[3] = n;
    T *low = static_cast<T*>(d.to), *middle = low + below + 1, *high = low + (n - beyond) + 2;
    for (std::size_t k = 0; k < n; ++k) {
      const T e = part[k];
      const std::size_t is_below = std::size_t(comes_below(e)), is_beyond = std::size_t(comes_beyond(e));
      *low = e, *middle = e, *high = e;
      low += is_below, middle += 1 - is_below - is_beyond, high += is_beyond;
    }
  }
  static void deal_numbers(dealing& d, const partition_plan<T>& plan, const Order& comes_first) {
    const T* const part = begin(d);
    std::size_t* const next = d.next;
    for (std::size_t k = 0; k < d.n; ++k) ++next[plan.bucket_of(part[k], comes_first) + 1];
    add_up(d);
    T* const to = static_cast<T*>(d.to);
    for (std::size_t k = 0; k < d.n; ++k) {
      const std::size_t b = plan.bucket_of(part[k], comes_first);
      to[next[b]++ + b] = part[k];
    }
  }
  // A comparator of the user is asked once: it may throw, or not say the same twice.
  static void deal_and_remember(dealing& d, const partition_plan<T>& plan, const Order& comes_first) {
    const T* const part = begin(d);
    for (std::size_t k = 0; k < d.n; ++k) ++d.next[(d.bucket[k] = std::uint16_t(plan.bucket_of(part[k], comes_first))) + 1U];
    add_up(d);
    T* const to = static_cast<T*>(d.to);
    for (std::size_t k = 0; k < d.n; ++k) to[d.next[d.bucket[k]]++ + d.bucket[k]] = part[k];
  }
};

}  // namespace armilla::detail
