// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "bench/harness/row.hpp"
#include "examples/em3d/part.hpp"

namespace bench {

/// The graph of a row of EM3D: 200 nodes and 4000 edges a rank; the row's size says how many per cent of these are remote.
inline em3d::shape em3d_graph(const row_context& c) {
  em3d::shape s;
  s.blocks = c.ranks;
  s.remote = int(c.size);
  return s;
}

/// Nanoseconds per edge of Version(mine), which has half_step(field); the values are checked. `barrier`: for all ranks of the
/// row.
template <class Version, class Region, class Barrier>
double em3d_row(row_context& c, Region& mine, Barrier&& barrier) {
  Version version(mine);
  barrier();
  const double per_step = time_per(c.iterations, [&](long n) {
    for (long s = 0; s < n; ++s)
      for (const em3d::field f : {em3d::electric, em3d::magnetic}) version.half_step(f);
  });
  barrier();
  const em3d::shape& graph = mine.graph();
  verify(mine.agrees(em3d::evaluate(graph, c.iterations + std::max(1L, c.iterations / 10))), "EM3D");
  return per_step / (graph.nodes * graph.degree);
}

}  // namespace bench
