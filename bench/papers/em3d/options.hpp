// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"
#include "examples/em3d/graph.hpp"

namespace papers {

/// What EM3D is told, by Armilla and by hand alike.
struct em3d_options {
  em3d::shape graph;  ///< without the number of blocks, which is that of the ranks
  std::vector<int> remote{10, 40, 70, 100};
  long steps = 0;  ///< 0: as many as do a million edges a rank

  void add_to(command_line& line);
  /// 0, or 2 after the line has told what cannot be.
  int check(const command_line& line);

  /// The shape for a share of remote edges on that many ranks.
  em3d::shape shape(int per_cent, int ranks) const;
  /// A record of a version on that graph.
  record describe(const std::string& version, const em3d::shape& s, const em3d::values& expected, const char* source) const;
  /// Seconds to nanoseconds an edge: by the edges of one rank.
  double ns_per_edge(double seconds) const { return seconds * 1e9 / (double(steps) * graph.nodes * graph.degree); }
};

}  // namespace papers
