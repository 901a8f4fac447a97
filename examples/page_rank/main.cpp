// SPDX-License-Identifier: Apache-2.0
// The vertices of a graph that count most, by PageRank; edges from a file. The same program by MPI stands beside, in by_mpi.cpp.
#include <cmath>
#include <string>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool rank_pages(const std::string& path) {
  const am::graph<> g(am::read_edges(path), {.in_edges = true});
  const auto start = am::clock::now();
  const am::array<double> weight = am::pagerank(g);
  const double time = am::seconds_since(start), sum = am::reduce(weight);
  for (const auto& [vertex, w] : am::top_k(weight, 10)) am::print_on(0, "{:8} {:.6g}\n", vertex, w);
  const bool right = std::abs(sum - 1) < 1e-9;
  am::print_on(0, "{} vertices and {} edges in {:.3f} s, weight {}: {}\n", g.size(), g.edges(), time, sum,
               right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "FILE", rank_pages); }
