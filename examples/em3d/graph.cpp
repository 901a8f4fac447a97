// SPDX-License-Identifier: Apache-2.0
#include "examples/em3d/graph.hpp"

#include <bit>

namespace em3d {
namespace {

/// splitmix64: good enough, and the same numbers everywhere.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  int below(int n) { return int(operator()() % std::uint64_t(n)); }
  double unit() { return double(operator()() >> 11) * 0x1p-53; }
};

edge draw(const shape& s, int block, random_numbers& random) {
  const int in_block = s.nodes / 2;
  const bool remote = s.blocks > 1 && random.below(100) < s.remote;
  const int far = remote ? (block + 1 + random.below(s.blocks - 1)) % s.blocks : block;
  const int from = far * in_block + random.below(in_block);
  return {from, (random.unit() - 0.5) / 80};
}

}  // namespace

std::vector<edge> edges_of(const shape& s, field f, int first, int last) {
  std::vector<edge> edges;
  edges.reserve(std::size_t(last - first) * std::size_t(s.degree));
  for (int n = first; n < last; ++n) {  // each node has numbers of its own, so that a rank can draw its nodes alone
    random_numbers random{s.seed * 0x2545f4914f6cdd1dU + std::uint64_t(2 * n + f) * 0xd1342543de82ef95U};
    for (int d = 0; d < s.degree; ++d) edges.push_back(draw(s, n / (s.nodes / 2), random));
  }
  return edges;
}

double first_value(field f, int node) { return 1.0 + (f == magnetic ? 0.25 : 0.0) + 0.001 * node; }

values evaluate(const shape& s, long steps) {
  values v;
  std::vector<edge> edges[2];
  for (const field f : {electric, magnetic}) {
    edges[f] = edges_of(s, f, 0, s.nodes_of_field());
    for (int n = 0; n < s.nodes_of_field(); ++n) v.of[f].push_back(first_value(f, n));
  }
  for (long step = 0; step < steps; ++step)
    for (const field f : {electric, magnetic})
      subtract_terms(v.of[f], s.degree, [e = edges[f].data(), from = v.of[other(f)].data()](std::size_t i) {
        return e[i].weight * from[e[i].from];
      });
  return v;
}

std::uint64_t fingerprint(const values& v) {
  std::uint64_t mark = 0xcbf29ce484222325U;  // FNV-1a over words
  for (const std::vector<double>& of : v.of)
    for (const double x : of) mark = (mark ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3U;
  return mark;
}

}  // namespace em3d
