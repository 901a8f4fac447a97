// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/mapped_views.hpp"
#include "armilla/container/zip_view.hpp"

namespace armilla::views {

/// `f` of elements of several ranges with the same index, as many as the shortest has. Only read.
///
///     const auto ratio = am::views::zip_transform(std::divides<>{}, x, y);
template <class F, distributed_range... R>
  requires(sizeof...(R) > 0)
auto zip_transform(F f, R&&... r) {
  return views::transform(views::zip(views::all(std::forward<R>(r)).reading()...), std::move(f));
}

}  // namespace armilla::views
