// SPDX-License-Identifier: Apache-2.0
#include "armilla/bag.hpp"

#include <numeric>

namespace armilla::detail {

std::vector<std::vector<std::size_t>> balancing_gifts(const std::vector<std::size_t>& counts) {
  const std::size_t n = counts.size(), all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const auto share = [&](std::size_t m) { return all / n + (m < all % n ? 1 : 0); };
  std::vector<std::vector<std::size_t>> gifts(n, std::vector<std::size_t>(n));
  std::size_t needy = 0, given = 0;  // `given` of what the needy one lacks
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t spare = counts[m] - std::min(counts[m], share(m)); spare != 0;) {
      while (counts[needy] + given >= share(needy)) ++needy, given = 0;
      const std::size_t now = std::min(spare, share(needy) - counts[needy] - given);
      gifts[m][needy] = now;
      given += now;
      spare -= now;
    }
  }
  return gifts;
}

}  // namespace armilla::detail
