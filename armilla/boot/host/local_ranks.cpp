// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/local_ranks.hpp"

#include <algorithm>

namespace armilla::detail {

void local_ranks::take(const rank_t* here, std::size_t n) noexcept {
  count = std::uint32_t(n);
  first = here[0];
  scattered = here[n - 1] - here[0] != rank_t(n) - 1;
  std::copy_n(here, n, ranks);
}

std::uint32_t local_ranks::search(rank_t r) const noexcept {
  const rank_t* const end = ranks + count;
  const rank_t* const found = std::lower_bound(ranks, end, r);
  return found != end && *found == r ? std::uint32_t(found - ranks) : count;
}

}  // namespace armilla::detail
