// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/unordered_map.hpp"

/// What `top_k` does inside.
namespace armilla::detail {

struct take_first {
  template <class P>
  constexpr const auto& operator()(const P& element) const noexcept {
    if constexpr (requires { element.first; })
      return element.first;
    else
      return std::get<0>(element);
  }
};
struct take_second {
  template <class P>
  constexpr const auto& operator()(const P& element) const noexcept {
    if constexpr (requires { element.second; })
      return element.second;
    else
      return std::get<1>(element);
  }
};

/// What tells elements of one projection apart: the key.
template <class E>
const auto& key_of_element(const E& e) noexcept {
  if constexpr (requires { e.first; })
    return e.first;
  else
    return e;
}

/// Of two projections of which none is greater: whether the first is a number and the second is not, or the other way round;
/// 0 where both are or neither is.
template <class X>
int numbers_first(const X& x, const X& y) {
  if constexpr (std::floating_point<X>)
    return int(x == x) - int(y == y);
  else
    return 0;
}

/// Whether a stands before b: a greater projection, and NaNs last; of equal ones the lower key, if keys have an order.
template <class Proj>
struct stands_before {
  Proj& proj;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    const auto& x = std::invoke(proj, a);
    const auto& y = std::invoke(proj, b);
    if (y < x) return true;
    if (x < y) [[likely]]
      return false;
    if (const int first = numbers_first<std::decay_t<decltype(x)>>(x, y); first != 0) return first > 0;
    if constexpr (std::totally_ordered<std::decay_t<decltype(key_of_element(a))>>)
      return key_of_element(a) < key_of_element(b);
    else
      return false;
  }
};

/// What gives numbers, and lets all through.
template <class Cursor>
concept plain_numbers = std::is_arithmetic_v<std::remove_cvref_t<decltype(std::declval<const Cursor&>()[std::size_t{}])>> &&
                        !filters<std::remove_cv_t<Cursor>>;

/// What a hash container's element is outside of it: its key may be moved.
template <class T>
struct outside {
  using type = T;
};
template <class K, class V>
struct outside<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

/// The n elements that stand before all others of those that it is offered.
template <class Element, class Before>
class greatest_elements {
 public:
  greatest_elements(std::size_t n, const Before& before) : n_(n), before_(before) {}
  /// `make()` is the element where it is kept.
  template <class E, class Make>
  void offer(const E& e, Make make) {
    if (heap_.size() == n_) {
      if (n_ == 0 || !before_(e, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), before_);
      heap_.pop_back();
    }
    heap_.push_back(make());
    std::push_heap(heap_.begin(), heap_.end(), before_);
  }
  /// Calls offer(k) for elements k of `numbers`, whose indices are greater than those of all that were offered: for all that may
  /// be among the n, and a few others. Budget: vector instructions for the rest.
  template <class Numbers, class Offer>
  void offer_numbers(const Numbers& numbers, std::size_t count, Offer offer) {
    constexpr std::size_t few = 64;
    for (std::size_t k = 0; k < count;) {
      const std::size_t end = std::min(count, k + few);
      if (end - k < few || may_be_among(numbers, k, few))
        for (; k < end; ++k) offer(k);
      else
        k = end;
    }
  }
  /// Of all members, in order, on each. Collective.
  std::vector<Element> of_all(const team& t) && {
    std::vector<Element> best = t.all_gather_v(heap_);
    if constexpr (std::same_as<Element, bool>) {
      const auto addressed = std::make_unique<bool[]>(best.size());
      std::ranges::copy(best, addressed.get());
      guarded_stable_sort(addressed.get(), best.size(), before_);
      std::copy_n(addressed.get(), best.size(), best.begin());
    } else {
      guarded_stable_sort(best.data(), best.size(), before_);
    }
    if (best.size() > n_) best.erase(best.begin() + std::ptrdiff_t(n_), best.end());
    return best;
  }

 private:
  template <class Numbers>
  bool may_be_among(const Numbers& numbers, std::size_t first, std::size_t count) const {
    if (heap_.size() < n_) return true;
    if (n_ == 0) return false;
    const auto worst = heap_.front().second;
    unsigned any = unsigned(worst != worst);  // before a NaN any number stands
    for (std::size_t k = first; k < first + count; ++k) any |= unsigned(worst < numbers[k]);
    return any != 0;
  }

  std::size_t n_;
  const Before& before_;
  std::vector<Element> heap_;  // its front is the worst of them
};

/// Of pairs of an index and an element: a greater projection of the element, and NaNs last; of equal ones the lower index.
template <class Proj>
struct greater_element {
  Proj& proj;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    const auto& x = std::invoke(proj, a.second);
    const auto& y = std::invoke(proj, b.second);
    if (y < x) return true;
    if (x < y) [[likely]]
      return false;
    const int first = numbers_first<std::decay_t<decltype(x)>>(x, y);
    return first != 0 ? first > 0 : a.first < b.first;
  }
};

}  // namespace armilla::detail
