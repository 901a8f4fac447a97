// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {

double width_of_buckets(const graph_shape& g, const weight_range& mine, double wish) {
  constexpr double most_buckets = 1 << 16;
  const weight_range all = g.members.all_reduce(mine, [](const weight_range& a, const weight_range& b) {
    return weight_range{std::max(a.greatest, b.greatest), a.good && b.good};
  });
  if (!all.good)
    throw_usage("sssp",
                "a weight is below 0, no number, infinite, or beyond 63 bits; shortest paths need finite weights from 0 on");
  if (!(wish >= 0)) throw_usage("sssp", fmt::format("a delta of {}; give one above 0, or 0 for one that fits the graph", wish));
  if (all.greatest == 0) return 1;
  const double degree = double(g.ends) / double(g.where.size());
  const double width = wish > 0 ? wish : all.greatest / std::max(degree, 1.0);
  return std::max({width, all.greatest / most_buckets, std::numeric_limits<double>::min()});
}

}  // namespace armilla::detail
