// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"

/// What the graph programs have in common: where a graph comes from, and with what the results are compared.
namespace graphs {

namespace am = armilla;

/// An edge list in a file, or, without one, the R-MAT generator. Edges are undirected.
struct settings {
  std::string file, answer;
  int scale = 14;   ///< of a generated graph: 2^scale vertices
  int degree = 16;  ///< and so many edges for each
  std::uint64_t seed = 1;
  bool quick = false;

  std::string name() const { return file.empty() ? "R-MAT graph of scale " + std::to_string(scale) : last_part(file); }
  /// What the results were compared with.
  std::string judge() const { return answer.empty() ? "as one thread finds" : "as " + last_part(answer) + " says"; }
  static std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }
};

void add_options(examples::arguments& arguments, settings& how);
/// A value: `main` returns it.
std::optional<int> read(examples::arguments& arguments, settings& how, int argc, char** argv);

/// What this rank gives to the graph, whose vertices are numbered from the smallest one that the file names.
struct input {
  std::vector<am::weighted_edge<double>> mine;
  std::uint64_t smallest = 0;

  /// All ranks together. Throws for what is no edge, and if there are none. With `weights` a file has one a line; those of a
  /// generated graph are whole numbers from 1 to 100.
  explicit input(const settings& how, bool weights = false);
  /// As the programs take them: edges that are named twice count twice.
  template <class Graph = am::graph<>>
  Graph make_graph() const {
    return Graph(mine, {.undirected = true, .keep_duplicates = true});
  }
};

}  // namespace graphs
