// SPDX-License-Identifier: Apache-2.0
#include "armilla/moves.hpp"

#include <set>

#include <fmt/format.h>

namespace armilla::detail {

void throw_beyond(const char* operation, std::size_t index, std::size_t size) {
  throw_usage(operation, fmt::format("index {} of a range of {} elements; give one from 0 to {}", index, size, size));
}

std::vector<std::size_t> drawn_indices(std::size_t n, std::size_t k, std::uint64_t seed) {
  std::set<std::size_t> chosen;
  for (std::size_t i = n - k; i < n; ++i)
    if (const std::size_t j = drawn(seed, i) % (i + 1); !chosen.insert(j).second) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

}  // namespace armilla::detail
