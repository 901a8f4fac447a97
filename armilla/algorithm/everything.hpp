// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <vector>

#include "armilla/algorithm/walk.hpp"

namespace armilla {

/// All elements of a range in the order of their indices, fetched in bulk: each rank that calls it gets its own copy. Not
/// collective. What others write meanwhile may or may not be in it. Errors: what a view's function throws.
template <distributed_range R>
auto everything(R&& r) {
  const auto v = detail::reading(r);
  std::vector<typename std::remove_cvref_t<decltype(v)>::value_type> all;
  all.reserve(v.extent());
  detail::scratch fetched;
  for (std::size_t i = 0; i < v.extent();) {
    std::size_t n = v.run_at(i).end - i;
    const auto cursor = v.window(i, n, fetched);
    for (std::size_t k = 0; k < n; ++k)
      if (detail::passes(cursor, k)) all.push_back(cursor[k]);
    fetched.finish();
    i += n;
  }
  return all;
}

}  // namespace armilla
