// SPDX-License-Identifier: Apache-2.0
#include "examples/graph/input.hpp"

#include <algorithm>
#include <stdexcept>

namespace graphs {
namespace {

/// splitmix64.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
};

/// R-MAT: at each level an edge falls into one of the four quarters of the matrix, with the shares 57, 19, 19 and 5 %.
am::weighted_edge<double> draw(int scale, random_numbers random) {
  am::weighted_edge<double> e;
  for (int level = 0; level < scale; ++level) {
    const std::uint64_t n = random() % 100;
    e.from = e.from << 1 | std::uint64_t(n >= 76);
    e.to = e.to << 1 | std::uint64_t((n >= 57 && n < 76) || n >= 95);
  }
  e.weight = double(random() % 100 + 1);
  return e;
}

/// Each edge from numbers of its own, so that any rank can draw it.
std::vector<am::weighted_edge<double>> generate(const settings& how) {
  const std::uint64_t n = std::uint64_t(how.degree) << how.scale;
  std::vector<am::weighted_edge<double>> mine;
  for (auto i = std::uint64_t(am::rank()); i < n; i += std::uint64_t(am::ranks()))
    mine.push_back(draw(how.scale, random_numbers{(how.seed << 40) + i * 64}));
  return mine;
}

}  // namespace

void add_options(examples::arguments& arguments, settings& how) {
  arguments.take_file("file", how.file, "edge list: a line an edge, two vertices; without one a graph is generated");
  arguments.take_file("--answer", how.answer, "the right results: a line a vertex; without it one thread computes them");
  arguments.take("--scale", how.scale, "of a generated graph: 2^scale vertices", 1, 28);
  arguments.take("--degree", how.degree, "edges for each vertex of a generated graph", 1, 1024);
  arguments.take("--seed", how.seed, "another graph");
  arguments.take_flag("--quick", how.quick, "a small graph");
}

std::optional<int> read(examples::arguments& arguments, settings& how, int argc, char** argv) {
  const std::optional<int> ended = arguments.read(argc, argv);
  if (how.quick) how.scale = 10;
  return ended;
}

input::input(const settings& how, bool weights) {
  if (how.file.empty())
    mine = generate(how);
  else if (weights)
    for (const auto& e : am::read_edges<double>(how.file).local()) mine.push_back(e);
  else
    for (const am::edge& e : am::read_edges(how.file).local()) mine.push_back({e.from, e.to});
  smallest = ~std::uint64_t{0};
  for (const auto& e : mine) smallest = std::min({smallest, e.from, e.to});
  smallest = am::all_reduce(smallest, [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  if (smallest == ~std::uint64_t{0}) throw std::runtime_error(how.name() + ": holds no edges");
  for (auto& e : mine) e = {e.from - smallest, e.to - smallest, e.weight};
}

}  // namespace graphs
