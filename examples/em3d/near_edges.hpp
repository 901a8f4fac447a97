// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

namespace em3d {

/// The edges of a region, with each neighbour at its place in this rank's own memory.
class near_edges {
 public:
  explicit near_edges(const region& mine) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine.edges(f)) edges_[f].push_back({mine.place(other(f), e.from), e.weight});
  }
  void half_step(region& mine, field f) const {
    subtract_terms(mine.own(f), mine.graph().degree,
                   [e = edges_[f].data(), from = mine.all(other(f))](std::size_t i) { return e[i].weight * from[e[i].from]; });
  }

 private:
  std::vector<edge> edges_[2];
};

}  // namespace em3d
