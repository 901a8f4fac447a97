// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/em3d/options.hpp"

#include <fmt/format.h>

namespace papers {

void em3d_options::add_to(command_line& line) {
  line.number("--nodes", graph.nodes, "nodes a rank, both fields together; even", 2, 10'000'000);
  line.number("--degree", graph.degree, "edges of a node", 1, 1000);
  line.number("--remote", remote, "per cent of remote edges, one or more", 0, 100);
  line.number("--steps", steps, "steps of a sample; 0: those of a million edges a rank", 0, 10'000'000);
  line.number("--seed", graph.seed, "another graph", 0, ~std::uint64_t{0});
}

int em3d_options::check(const command_line& line) {
  if (graph.nodes % 2 != 0) return line.refuse(fmt::format("--nodes {}: must be even, half of them for each field", graph.nodes));
  const long edges = long(graph.nodes) * graph.degree;
  if (edges > 100'000'000)
    return line.refuse(fmt::format("--nodes {} --degree {}: more than 100,000,000 edges a rank", graph.nodes, graph.degree));
  if (steps == 0) steps = std::max(2L, 1'000'000 / edges);
  return 0;
}

em3d::shape em3d_options::shape(int per_cent, int ranks) const {
  em3d::shape s = graph;
  s.blocks = ranks;
  s.remote = per_cent;
  return s;
}

record em3d_options::describe(const std::string& version, const em3d::shape& s, const em3d::values& expected,
                              const char* source) const {
  record r;
  r.version = version;
  r.size = {{"nodes", s.nodes}, {"degree", s.degree}, {"remote", s.remote}, {"steps", steps}};
  r.unit = "ns/edge";
  r.checks = {{"values", fmt::format("{:016x}", fingerprint(expected))}};
  r.source = source;
  return r;
}

}  // namespace papers
