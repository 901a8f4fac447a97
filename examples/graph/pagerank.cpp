// SPDX-License-Identifier: Apache-2.0
// PageRank: in each round every vertex gives each neighbour an equal share of its rank, as a statement to the one that holds it.
#include <cstdio>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/graph/answers.hpp"
#include "examples/graph/options.hpp"
#include "examples/graph/part.hpp"

namespace {

using namespace graphs;

/// One rank's part of the ranks.
class ranking {
 public:
  explicit ranking(const part& g) : graph_(g), rank_(g.places()), sum_(g.places()) {
    for (vertex v = 0; v < g.places(); ++v) rank_[v] = g.degree(v) == 0 ? 0 : 1 / double(g.vertices());
  }

  /// Statement: a neighbour's share for the vertex at `place`.
  void give(vertex place, double share) { sum_[place] += share; }

  /// All ranks together.
  void run(am::distributed<ranking>& parts, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      am::barrier();  // all have emptied their sums
      for (vertex v = 0; v < graph_.places(); ++v) {
        const double share = rank_[v] / double(graph_.degree(v));
        for (const vertex w : graph_.neighbours(v)) am::async<&ranking::give>(parts.on(graph_.owner(w)), graph_.place(w), share);
      }
      am::fence();
      for (vertex v = 0; v < graph_.places(); ++v) {
        if (graph_.degree(v) != 0) rank_[v] = (1 - damping) / double(graph_.vertices()) + damping * sum_[v];
        sum_[v] = 0;
      }
    }
  }

  const std::vector<double>& ranks() const { return rank_; }

 private:
  const part& graph_;
  std::vector<double> rank_, sum_;
};

void check(const settings& how, int rounds, const std::vector<double>& got) {
  if (am::rank() != 0) return;
  expect_near("rank", got,
              how.answer.empty() ? as_answers(sequential_page_ranks(how.graph, rounds)) : read_real_answers(how.answer));
}

void run(const settings& how, int rounds) {
  const part g(how.graph);
  am::distributed<ranking> r(g);
  am::barrier();
  const stopwatch time;
  r->run(r, rounds);
  const double ms = time.milliseconds();

  check(how, rounds, in_order(g, r->ranks()));
  if (am::rank() == 0)
    std::printf("pagerank: %s, %llu vertices and %llu edges on %d ranks: %d rounds, %.2f ms; right, %s\n",
                how.graph.name().c_str(), static_cast<unsigned long long>(g.vertices()),
                static_cast<unsigned long long>(g.edges()), am::ranks(), rounds, ms, judge(how).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("PageRank of an undirected graph, damping 0.85.");
  settings how;
  int rounds = 10;
  add_options(arguments, how);
  arguments.take("--rounds", rounds, "how often ranks are shared out", 0, 1000);
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how, rounds); });
}
