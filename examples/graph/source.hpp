// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace graphs {

/// Number of a vertex. Numbers should be dense: a rank has room for all up to the greatest.
using vertex = std::uint32_t;

struct edge {
  vertex from, to;
};

/// Where a graph comes from: an edge list in a file, or, without one, the R-MAT generator.
///
/// In a file each line begins with the two vertices of an edge; what follows them is ignored, and so are empty lines and those
/// that begin with # or %. Edges are undirected; one from a vertex to itself is left out.
struct source {
  std::string file;
  int scale = 14;   ///< of a generated graph: 2^scale vertices
  int degree = 16;  ///< and so many edges for each
  std::uint64_t seed = 1;

  std::string name() const;
};

/// Part `part` of `parts` of the edges: the lines that begin in this part of the file, or as many of the generated ones.
/// Throws std::runtime_error with file and line for what is not an edge.
std::vector<edge> edges_of(const source& s, int part, int parts);

/// Throws if the numbers of the vertices of a graph with so many edges are not dense.
void check_numbers(const source& s, vertex greatest, std::uint64_t edges);

}  // namespace graphs
