// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/stopwatch.hpp"

namespace armilla::detail {

double seconds_per_border() noexcept {
  constexpr int batches = 8, borders = 512;
  std::uint64_t least = ~std::uint64_t{0};
  stopwatch watch;
  for (int b = 0; b < batches; ++b) {
    const std::uint64_t begin = ticks();
    for (int i = 0; i < borders; ++i) watch.change(i % 2 == 0 ? component::runtime : component::cpu);
    const std::uint64_t took = ticks() - begin;
    if (took < least) least = took;
  }
  return double(least) / borders * ns_per_tick() * 1e-9;
}

}  // namespace armilla::detail
