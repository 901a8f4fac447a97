// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/graph.hpp"

#include <algorithm>

namespace bench {

bool breadth_first::right() const {
  std::vector<std::uint32_t> expected(g.vertices, ~0u), queue{0};
  expected[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    g.each_neighbour(queue[i], [&](std::uint32_t w) {
      if (expected[w] != ~0u) return;
      expected[w] = expected[queue[i]] + 1;
      queue.push_back(w);
    });
  return std::equal(depth.begin(), depth.end(), expected.begin() + base);
}

bool components::right() const {
  std::vector<std::uint32_t> expected(g.vertices, ~0u), stack;
  for (std::uint32_t root = 0; root < g.vertices; ++root) {
    if (expected[root] != ~0u) continue;
    expected[root] = root;
    for (stack.assign(1, root); !stack.empty();) {
      const std::uint32_t u = stack.back();
      stack.pop_back();
      g.each_neighbour(u, [&](std::uint32_t w) {
        if (expected[w] != ~0u) return;
        expected[w] = root;
        stack.push_back(w);
      });
    }
  }
  return std::equal(label.begin(), label.end(), expected.begin() + base);
}

bool page_rank::right() const {
  std::vector<double> value(g.vertices, 1.0 / g.vertices), next(g.vertices);
  for (int round = 0; round < rounds; ++round) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::uint32_t u = 0; u < g.vertices; ++u) {
      const double share = value[u] / (g.first[u + 1] - g.first[u]);
      g.each_neighbour(u, [&](std::uint32_t w) { next[w] += share; });
    }
    for (std::uint32_t u = 0; u < g.vertices; ++u) value[u] = (1 - damping) / g.vertices + damping * next[u];
  }
  return std::equal(rank.begin(), rank.end(), value.begin() + base,
                    [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); });  // the order of summation differs
}

}  // namespace bench
