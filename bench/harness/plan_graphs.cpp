// SPDX-License-Identifier: Apache-2.0
// Graph algorithms of the library, beside two threads by hand, and GraphBLAS where it is installed: a Kronecker graph of scale 20
// and a grid.
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

#ifdef ARMILLA_BENCH_GRAPHBLAS
constexpr bool have_graphblas = true;
#else
constexpr bool have_graphblas = false;
#endif

/// What there is in the language of linear algebra.
bool in_graphblas(const std::string& algorithm) {
  return have_graphblas && (algorithm == "bfs" || algorithm == "pagerank" || algorithm == "triangles");
}

}  // namespace

void add_graphs(std::vector<spec>& t) {
  const auto beside = [&](const std::string& algorithm, const char* graph, long size) {
    t.push_back({.name = "graph_" + algorithm + graph,
                 .suite = "graph",
                 .row = "graph_" + algorithm,
                 .size = size,
                 .iterations = 3,
                 .baselines = {{worker_kind::hand, "hand_" + algorithm, 1.0}},
                 .runs = 5});
    if (in_graphblas(algorithm)) t.back().baselines.push_back({worker_kind::hand, "graphblas_" + algorithm, 1.0});
  };
  for (const char* const algorithm : {"bfs", "components", "pagerank", "sssp"}) {
    beside(algorithm, "_kronecker", 1 << 20);
    beside(algorithm, "_grid", 1'000'000);
  }
  for (const char* const algorithm :
       {"triangles", "betweenness", "label_propagation", "k_core", "minimum_spanning_forest", "dfs"}) {
    beside(algorithm, "_kronecker", 1 << 18);
    beside(algorithm, "_grid", 1'000'000);
  }
}

}  // namespace bench
