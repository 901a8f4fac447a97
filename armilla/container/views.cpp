// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/views.hpp"

#include <fmt/format.h>

namespace armilla::detail {

void throw_bad_slice(std::size_t first, std::size_t last, std::size_t size) {
  throw_usage("views::slice", fmt::format("elements [{}, {}) of a range of {}; give first <= last <= size", first, last, size));
}

void throw_bad_stride() { throw_usage("views::stride", "a step of 0; give 1 or more"); }

void require_same_members(const team& a, const team& b) {
  if (a == b) return;
  bool same = a.size() == b.size();
  for (rank_t m = 0; same && m < a.size(); ++m) same = a.world_rank(m) == b.world_rank(m);
  if (!same)
    throw_usage("views::zip",
                fmt::format("the ranges lie on other ranks: one on a team of {} members, one on a team of {}; both need "
                            "the same members in the same order (copy one of them)",
                            a.size(), b.size()));
}

}  // namespace armilla::detail
