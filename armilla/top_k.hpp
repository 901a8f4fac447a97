// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "armilla/algorithm/order/top_k_inline.hpp"

namespace armilla {

/// Projects an element of a map, a pair or a tuple to its first member.
inline constexpr detail::take_first by_key{};

/// Projects an element of a map, a pair or a tuple to its second member.
inline constexpr detail::take_second by_value{};

/// Returns the `n` elements of a hash container with the greatest `proj(element)`, greatest first, the same on every rank.
///
///     for (const auto& [word, times] : am::top_k(count, 10, am::by_value)) show(word, times);
///
/// The result is a `std::vector` of pairs, or of keys for a set. Of equal elements those with the lower key come first, if keys
/// have an order. NaNs come last. All members call it, after a fence: operations that are not fenced may not be seen. Cost: one
/// pass over the local elements, and one collective in which each member gives at most `n` elements.
template <class Container, class Proj = detail::take_second>
  requires requires(const Container& c) {
    c.local().begin();
    typename Container::key_type;
  }
auto top_k(const Container& all, std::size_t n, Proj proj = {});

/// Returns the `n` elements of a range with the greatest `proj(element)`, greatest first, each with its index, the same on every
/// rank.
///
///     for (const auto& [vertex, weight] : am::top_k(weights, 10)) show(vertex, weight);
///
/// The result is a `std::vector` of pairs. Of equal elements those with the lower index come first. NaNs come last. All members
/// call it. Throws `remote_error` on all members for what `proj` throws. Cost: one pass, and two collectives, in one of which
/// each member gives at most `n` elements.
template <distributed_range R, class Proj = std::identity>
  requires(!requires { typename std::remove_cvref_t<R>::key_type; })
auto top_k(R&& r, std::size_t n, Proj proj = {});

// ---- Implementation only below ----

template <class Container, class Proj>
  requires requires(const Container& c) {
    c.local().begin();
    typename Container::key_type;
  }
auto top_k(const Container& all, std::size_t n, Proj proj) {
  detail::require_function(proj, "top_k");
  using element = typename detail::outside<typename Container::value_type>::type;
  const detail::stands_before<Proj> before{proj};
  detail::greatest_elements<element, detail::stands_before<Proj>> best(n, before);
  for (const auto& e : all.local()) best.offer(e, [&e] { return element(e); });
  return std::move(best).of_all(all.members());
}

template <distributed_range R, class Proj>
  requires(!requires { typename std::remove_cvref_t<R>::key_type; })
auto top_k(R&& r, std::size_t n, Proj proj) {
  detail::require_function(proj, "top_k");
  const auto v = detail::reading(r);
  using element = std::pair<std::size_t, typename std::remove_cvref_t<decltype(v)>::value_type>;
  const detail::greater_element<Proj> before{proj};
  detail::greatest_elements<element, detail::greater_element<Proj>> best(n, before);
  detail::algorithm_call why("top_k", v);
  detail::enter(v);
  detail::walk(v, why, [&](const auto c, std::size_t m, const detail::indices& at) {
    const auto offer = [&](std::size_t k) {
      const auto& e = c[k];
      best.offer(std::pair<std::size_t, decltype(e)>(at(k), e), [&] { return element(at(k), e); });
    };
    if constexpr (std::same_as<Proj, std::identity> && detail::plain_numbers<decltype(c)>)
      best.offer_numbers(c, m, offer);
    else
      detail::each_of_piece(c, m, at, why, offer);
    return !why.happened();
  });
  detail::agree(v.members(), "top_k", why);
  return std::move(best).of_all(v.members());
}

}  // namespace armilla
