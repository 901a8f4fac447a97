// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/unordered_map.hpp"
#include "armilla/team/collectives.hpp"

namespace armilla {
namespace detail {

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

/// Whether a stands before b: a greater projection; of equal ones the lower key, if keys have an order.
template <class Proj>
struct stands_before {
  Proj& proj;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    const auto& x = std::invoke(proj, a);
    const auto& y = std::invoke(proj, b);
    if (y < x) return true;
    if constexpr (std::totally_ordered<std::decay_t<decltype(key_of_element(a))>>)
      return !(x < y) && key_of_element(a) < key_of_element(b);
    else
      return false;
  }
};

/// What a hash container's element is outside of it: its key may be moved.
template <class T>
struct outside {
  using type = T;
};
template <class K, class V>
struct outside<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

}  // namespace detail

/// Projections of a map's elements, and of pairs and tuples: the first and the second.
inline constexpr detail::take_first by_key{};
inline constexpr detail::take_second by_value{};

/// The `n` elements of a hash container with the greatest `proj(element)`, greatest first; of equal ones those with the lower key
/// first, if keys have an order. An ordinary vector of pairs (of a set: of keys), the same on every rank. All members call it,
/// behind a fence: what is not fenced is not seen.
///
///     for (const auto& [word, times] : am::top_k(count, 10, am::by_value)) am::print("{} {}\n", word, times);
///
/// Cost: one pass over each part, and one meeting in which each member shows at most `n` elements.
template <class Container, class Proj = detail::take_second>
  requires requires(const Container& c) {
    c.local().begin();
    typename Container::key_type;
  }
auto top_k(const Container& all, std::size_t n, Proj proj = {}) {
  using element = typename detail::outside<typename Container::value_type>::type;
  const detail::stands_before<Proj> before{proj};
  std::vector<element> best;  // a heap whose front is the worst of them
  if (n != 0)
    for (const auto& e : all.local()) {
      if (best.size() == n) {
        if (!before(e, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), before);
        best.pop_back();
      }
      best.emplace_back(e);
      std::push_heap(best.begin(), best.end(), before);
    }
  best = all.members().all_gather_v(best);
  std::stable_sort(best.begin(), best.end(), before);
  if (best.size() > n) best.erase(best.begin() + std::ptrdiff_t(n), best.end());
  return best;
}

}  // namespace armilla
