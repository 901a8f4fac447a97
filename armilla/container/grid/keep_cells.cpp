// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/grid/keep_cells.hpp"

namespace armilla::detail {

std::vector<rank_t> blocks_over(std::span<const std::size_t> extents, std::span<const rank_t> before, rank_t members) {
  std::vector<std::size_t> cut, lengths;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (before[d] > 1) cut.push_back(d), lengths.push_back(extents[d]);
  std::vector<rank_t> chosen(cut.size()), blocks(extents.size(), 1);
  if (cut.empty())
    blocks[0] = members;
  else
    choose_blocks(cut.size(), lengths.data(), members, chosen.data());
  for (std::size_t k = 0; k < cut.size(); ++k) blocks[cut[k]] = chosen[k];
  return blocks;
}

}  // namespace armilla::detail
