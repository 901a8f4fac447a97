// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/mapped_views.hpp"
#include "armilla/container/views/zip_view_inline.hpp"

namespace armilla {

namespace views {

/// Returns tuples of the elements of several ranges with the same index, as many as the shortest one has. `usage_error` if their
/// teams have different members.
///
/// Their distributions may differ: the rank that has an element of the first range that is written works on it.
/// `std::as_const(x)` says that `x` is only read.
template <distributed_range... R>
  requires(sizeof...(R) > 0)
auto zip(R&&... r) {
  return detail::zip_view<all_t<R>...>(detail::require_sized(views::all(std::forward<R>(r)))...);
}

/// Returns `f` of the elements of several ranges with the same index, as many as the shortest one has. Constant.
///
///     const auto ratio = am::views::zip_transform(std::divides<>{}, x, y);
template <class F, distributed_range... R>
  requires(sizeof...(R) > 0)
auto zip_transform(F f, R&&... r) {
  return views::transform(views::zip(views::all(std::forward<R>(r)).reading()...), std::move(f));
}

}  // namespace views
}  // namespace armilla
