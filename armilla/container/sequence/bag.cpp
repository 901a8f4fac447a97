// SPDX-License-Identifier: Apache-2.0
#include "armilla/bag.hpp"

#include <numeric>

#include "armilla/transfer.hpp"

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

void move_surplus(container_state& elements, std::size_t bytes, std::size_t alignment) {
  const std::vector<std::size_t> counts = elements.members.all_gather(elements.count());
  const auto gifts = balancing_gifts(counts);
  const std::size_t me = std::size_t(elements.me);
  std::size_t taken = 0;
  for (const std::vector<std::size_t>& of_member : gifts) taken += of_member[me];
  elements.grow(taken, bytes, alignment, [&](std::byte* to) {
    for (std::size_t m = 0; m < gifts.size(); ++m) {
      const std::size_t n = gifts[m][me];
      if (n == 0) continue;
      const std::size_t first = counts[m] - std::reduce(gifts[m].begin(), gifts[m].begin() + elements.me + 1);
      get_bytes(to, elements.blocks.at(rank_t(m)).plus(std::int64_t(first * bytes)), n * bytes);
      to += n * bytes;
    }
  });
  elements.keep(elements.count() - std::reduce(gifts[me].begin(), gifts[me].end()));
}

}  // namespace armilla::detail
