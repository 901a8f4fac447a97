// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/em3d.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

bool em3d_right(const em3d_graph& g, int rank, long steps, const double* e_values, const double* h_values) {
  em3d_values expected = em3d_reference(g, steps);
  const std::size_t bytes = sizeof(double) * em3d_graph::nodes;
  return std::memcmp(expected.of(rank, 0), e_values, bytes) == 0 && std::memcmp(expected.of(rank, 1), h_values, bytes) == 0;
}

em3d_ghosts::em3d_ghosts(const em3d_graph& g, int me, int reader_kind) {
  const em3d_graph::edge* e = g.edges_of(me, reader_kind);
  std::vector<int> slot(std::size_t(g.ranks) * em3d_graph::nodes, -1);
  const auto key = [&](const em3d_graph::edge& x) { return std::size_t(x.rank * em3d_graph::nodes + x.node); };
  for (int i = 0; i < em3d_graph::edges; ++i)
    if (e[i].rank != me) slot[key(e[i])] = 0;
  for (int r = 0; r < g.ranks; ++r) {
    first.push_back(int(list.size()));
    for (int n = 0; n < em3d_graph::nodes; ++n) {
      int& s = slot[std::size_t(r * em3d_graph::nodes + n)];
      if (s < 0) continue;
      s = int(list.size());
      list.push_back({r, n});
    }
  }
  first.push_back(int(list.size()));
  for (int i = 0; i < em3d_graph::edges; ++i) {
    place.push_back(std::uint32_t(e[i].rank == me ? e[i].node : em3d_graph::nodes + slot[key(e[i])]));
    weight.push_back(e[i].weight);
  }
}

}  // namespace bench
