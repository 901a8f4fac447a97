// SPDX-License-Identifier: Apache-2.0
#pragma once
// An unbalanced tree that is not stored: a node is a number, its children follow from it. The root has many; any other node has
// `children` with a certain probability, else none. Near the point where a node has one child on average, a few of the root's
// subtrees are large and most are tiny, and no way of dealing them out beforehand is fair. (After UTS, the unbalanced tree
// search of Olivier and others, with a simpler hash.)
#include <cstdint>

namespace tree {

struct shape {
  std::uint64_t seed = 1;
  int root_children = 2000;
  int children = 4;
  double probability = 0.245;  // that a node has children at all
  int rounds = 20;             // of the hash, for each node: the work
};

struct node {
  std::uint64_t state = 0;
  std::uint32_t depth = 0;
};

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

inline node root_of(const shape& s) { return {mix(s.seed + 0x9e3779b97f4a7c15u), 0}; }

inline node child_of(const shape& s, const node& parent, int number) {
  std::uint64_t x = parent.state;
  for (int i = 0; i < s.rounds; ++i) x = mix(x + std::uint64_t(number + 1) * 0x9e3779b97f4a7c15u);
  return {x, parent.depth + 1};
}

inline int children_of(const shape& s, const node& n) {
  if (n.depth == 0) return s.root_children;
  return double(n.state >> 11) * 0x1p-53 < s.probability ? s.children : 0;
}

}  // namespace tree
