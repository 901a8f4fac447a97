// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>

#include <CLI/CLI.hpp>

#include "examples/graph/source.hpp"

namespace graphs {

/// What the graph programs have in common.
struct settings {
  source graph;
  std::string answer;
};

inline void add_options(CLI::App& app, settings& how) {
  app.add_option("file", how.graph.file, "edge list: a line an edge, two vertices; without one a graph is generated");
  app.add_option("--answer", how.answer, "the right results: a line a vertex; without it one thread computes them");
  app.add_option("--scale", how.graph.scale, "of a generated graph: 2^scale vertices")
      ->check(CLI::Range(1, 28))
      ->capture_default_str();
  app.add_option("--degree", how.graph.degree, "edges for each vertex of a generated graph")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seed", how.graph.seed, "another graph")->capture_default_str();
  app.add_flag_callback("--quick", [&how] { how.graph.scale = 10; }, "a small graph");
  app.callback([&how] {  // after all options are known to exist: a misspelt one would look like a missing file
    for (const std::string& file : {how.graph.file, how.answer})
      if (const std::string problem = file.empty() ? "" : CLI::ExistingFile(file); !problem.empty())
        throw CLI::ValidationError(problem);
  });
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
