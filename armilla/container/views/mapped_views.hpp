// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/container/views/mapped_views_inline.hpp"

namespace armilla {

namespace views {

/// Returns `f` of each element, computed on the rank that reads it. `f` gets the parts of a zip's element one by one if it takes
/// them.
template <distributed_range R, class F>
auto transform(R&& r, F f) {
  armilla::detail::require_function(f, "views::transform");
  return detail::make_transform(views::all(std::forward<R>(r)), std::move(f));
}
template <class F>
auto transform(F f) {
  return detail::closure{[f](auto&& r) { return views::transform(std::forward<decltype(r)>(r), f); }};
}

/// Returns the elements for which `predicate` holds. It has no size.
template <distributed_range R, class P>
auto filter(R&& r, P predicate) {
  armilla::detail::require_function(predicate, "views::filter");
  return detail::filter_view<all_t<R>, P>(views::all(std::forward<R>(r)), std::move(predicate));
}
template <class P>
auto filter(P predicate) {
  return detail::closure{[predicate](auto&& r) { return views::filter(std::forward<decltype(r)>(r), predicate); }};
}

/// Returns the first part of each element, of pairs or of a zip. Constant.
template <distributed_range R>
auto keys(R&& r) {
  detail::require_pairs<R>();
  return detail::make_transform(views::all(std::forward<R>(r)), detail::part_of_element<0>{});
}
inline auto keys() {
  return detail::closure{[](auto&& r) { return views::keys(std::forward<decltype(r)>(r)); }};
}
/// Returns the second part of each element. It can be written if the element can.
template <distributed_range R>
auto values(R&& r) {
  detail::require_pairs<R>();
  return detail::transform_view<all_t<R>, detail::part_of_element<1>>(views::all(std::forward<R>(r)), {});
}
inline auto values() {
  return detail::closure{[](auto&& r) { return views::values(std::forward<decltype(r)>(r)); }};
}

}  // namespace views
}  // namespace armilla
