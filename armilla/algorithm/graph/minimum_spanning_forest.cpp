// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {

void throw_no_weight(std::size_t from, std::size_t to) {
  throw_usage("minimum_spanning_forest",
              fmt::format("the weight of the edge from vertex {} to {} is no number; give weights that have an order", from, to));
}

}  // namespace armilla::detail
