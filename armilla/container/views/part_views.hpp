// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/part_views_inline.hpp"

namespace armilla {

namespace views {

/// Returns the elements [first, last). `usage_error` if there are fewer.
template <distributed_range R>
auto slice(R&& r, std::size_t first, std::size_t last) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  if (first > last || last > v.extent()) [[unlikely]]
    detail::throw_bad_slice(first, last, v.extent());
  return detail::slice_view<decltype(v)>(std::move(v), first, last - first);
}
inline auto slice(std::size_t first, std::size_t last) {
  return detail::closure{[=](auto&& r) { return views::slice(std::forward<decltype(r)>(r), first, last); }};
}

/// Returns the first `n` elements, or all if there are fewer.
template <distributed_range R>
auto take(R&& r, std::size_t n) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  const std::size_t most = v.extent();
  return detail::slice_view<decltype(v)>(std::move(v), 0, n < most ? n : most);
}
inline auto take(std::size_t n) {
  return detail::closure{[n](auto&& r) { return views::take(std::forward<decltype(r)>(r), n); }};
}

/// Returns all but the first `n` elements.
template <distributed_range R>
auto drop(R&& r, std::size_t n) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  const std::size_t most = v.extent(), first = n < most ? n : most;
  return detail::slice_view<decltype(v)>(std::move(v), first, most - first);
}
inline auto drop(std::size_t n) {
  return detail::closure{[n](auto&& r) { return views::drop(std::forward<decltype(r)>(r), n); }};
}

/// Returns every `step`-th element, from the first one on. `usage_error` for 0.
template <distributed_range R>
auto stride(R&& r, std::size_t step) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  if (step == 0) [[unlikely]]
    detail::throw_bad_stride();
  return detail::stride_view<decltype(v)>(std::move(v), step);
}
inline auto stride(std::size_t step) {
  return detail::closure{[step](auto&& r) { return views::stride(std::forward<decltype(r)>(r), step); }};
}

/// Returns the elements from the last to the first.
template <distributed_range R>
auto reverse(R&& r) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  return detail::reverse_view<decltype(v)>(std::move(v));
}
inline auto reverse() {
  return detail::closure{[](auto&& r) { return views::reverse(std::forward<decltype(r)>(r)); }};
}

}  // namespace views
}  // namespace armilla
