// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>

#include "armilla/container/views/index_views_inline.hpp"

namespace armilla {

namespace views {

/// Returns the `n` numbers from `first` on.
template <class T>
auto iota(T first, std::size_t n) {
  return detail::iota_view<T>(first, n);
}

/// Returns pairs of an index, a std::size_t, and its element. A function gets them as two arguments if it takes two.
template <distributed_range R>
auto enumerate(R&& r) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  const std::size_t n = v.extent();
  return views::zip(views::iota(std::size_t{0}, n), std::move(v));
}
inline auto enumerate() {
  return detail::closure{[](auto&& r) { return views::enumerate(std::forward<decltype(r)>(r)); }};
}

}  // namespace views
}  // namespace armilla
