// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/mapped_views.hpp"
#include "armilla/container/views/zip_view_inline.hpp"

namespace armilla {

namespace views {

/// The elements of several ranges of one team side by side, as many as the shortest has. Their borders may differ: each piece
/// between two borders is worked on where the first range that is written has it; `std::as_const(x)` says that x is read only.
/// usage_error if their teams have other members.
template <distributed_range... R>
  requires(sizeof...(R) > 0)
auto zip(R&&... r) {
  return detail::zip_view<all_t<R>...>(detail::require_sized(views::all(std::forward<R>(r)))...);
}

/// `f` of elements of several ranges with the same index, as many as the shortest has. Only read.
///
///     const auto ratio = am::views::zip_transform(std::divides<>{}, x, y);
template <class F, distributed_range... R>
  requires(sizeof...(R) > 0)
auto zip_transform(F f, R&&... r) {
  return views::transform(views::zip(views::all(std::forward<R>(r)).reading()...), std::move(f));
}

}  // namespace views
}  // namespace armilla
