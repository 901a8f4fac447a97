// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/views/row_views_inline.hpp"

namespace armilla {

/// Returns all elements of a range, in the order of their indices, as a `std::vector`.
///
/// Not collective: each rank that calls it gets its own copy, fetched in pieces. What others write meanwhile may or may not be in
/// it. Throws what a function of a view throws. Cost: nothing is sent for mapped memory; otherwise a message for each MiB.
///
///     am::vector<double> x(1000);
///     const std::vector<double> copy = am::everything(x);
template <distributed_range R>
auto everything(R&& r);

// ---- Implementation only below ----

template <distributed_range R>
auto everything(R&& r) {
  const auto v = detail::reading(r);
  using value = typename std::remove_cvref_t<decltype(v)>::value_type;
  static_assert(!detail::refers_to_elements<value>,
                "armilla: the rows of this view end with the look at them; transform them into vectors first, or flatten them");
  std::vector<value> all;
  if constexpr (!detail::gives_rows<decltype(v)>) all.reserve(v.extent());
  detail::scratch fetched;
  const auto keep = [&all](const auto cursor, std::size_t n, const detail::indices&) {
    for (std::size_t k = 0; k < n; ++k)
      if (detail::passes(cursor, k)) all.push_back(cursor[k]);
    return true;
  };
  for (std::size_t i = 0; i < v.extent();) detail::go_through(v, i, v.run_at(i).end, fetched, keep);
  return all;
}

}  // namespace armilla
