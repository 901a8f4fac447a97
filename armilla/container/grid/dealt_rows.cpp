// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/grid/dealt_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace armilla::detail {

std::size_t rows_a_weight(std::size_t rows) noexcept {
  constexpr std::size_t most_weights = 1 << 13;  // an exchange of 64 KiB, and blocks even to a percent up to a hundred ranks
  return std::bit_ceil(rows / most_weights + 1);
}

std::vector<std::size_t> balanced_borders(std::span<const std::uint64_t> weights, std::size_t width, std::size_t rows,
                                          rank_t members) {
  std::uint64_t all = rows, before = 0;  // a row costs as much as an entry
  for (const std::uint64_t w : weights) all += w;
  std::vector<std::size_t> borders{0};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    before += weights[k] + std::min(width, rows - k * width);
    while (borders.size() < std::size_t(members) && before * std::uint64_t(members) >= all * borders.size())
      borders.push_back(std::min(rows, (k + 1) * width));
  }
  borders.resize(std::size_t(members) + 1, rows);
  return borders;
}

placement blocks_between(const std::vector<std::size_t>& borders) {
  std::vector<std::size_t> sizes;
  for (std::size_t m = 1; m < borders.size(); ++m) sizes.push_back(borders[m] - borders[m - 1]);
  const rank_t members = rank_t(sizes.size());
  return placement(borders.back(), members, blocks(std::move(sizes)));
}

row_owners::row_owners(const std::vector<std::size_t>& borders, std::size_t width)
    : shift_(unsigned(std::countr_zero(width))), of_((borders.back() + width - 1) / width) {
  for (std::size_t m = 1; m < borders.size(); ++m)
    std::fill(of_.begin() + std::ptrdiff_t((borders[m - 1] + width - 1) / width),
              of_.begin() + std::ptrdiff_t((borders[m] + width - 1) / width), std::uint16_t(m - 1));
}

}  // namespace armilla::detail
