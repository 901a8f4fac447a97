// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "examples/arguments.hpp"
#include "examples/graph/source.hpp"

namespace graphs {

/// What the graph programs have in common.
struct settings {
  source graph;
  std::string answer;
  bool quick = false;
};

inline void add_options(examples::arguments& arguments, settings& how) {
  arguments.take_file("file", how.graph.file, "edge list: a line an edge, two vertices; without one a graph is generated");
  arguments.take_file("--answer", how.answer, "the right results: a line a vertex; without it one thread computes them");
  arguments.take("--scale", how.graph.scale, "of a generated graph: 2^scale vertices", 1, 28);
  arguments.take("--degree", how.graph.degree, "edges for each vertex of a generated graph", 1, 1024);
  arguments.take("--seed", how.graph.seed, "another graph");
  arguments.take_flag("--quick", how.quick, "a small graph");
}

/// A value: `main` returns it.
inline std::optional<int> read(examples::arguments& arguments, settings& how, int argc, char** argv) {
  const std::optional<int> ended = arguments.read(argc, argv);
  if (how.quick) how.graph.scale = 10;
  return ended;
}

/// What the results were compared with.
inline std::string judge(const settings& how) {
  return how.answer.empty() ? "as one thread finds" : "as " + how.answer.substr(how.answer.rfind('/') + 1) + " says";
}

class stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace graphs
