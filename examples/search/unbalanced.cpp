// SPDX-License-Identifier: Apache-2.0
// Counts the nodes of an unbalanced tree. Its open nodes lie in a work queue: a rank that has none left gets some of another's.
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"
#include "examples/search/tree.hpp"
namespace am = armilla;

namespace {

/// The same without a queue.
long count_alone(const tree::shape& s) {
  std::vector<tree::node> open{tree::root_of(s)};
  long counted = 0;
  for (; !open.empty(); ++counted) {
    const tree::node n = open.back();
    open.pop_back();
    for (int i = tree::children_of(s, n); i > 0; --i) open.push_back(tree::child_of(s, n, i));
  }
  return counted;
}

void search(const tree::shape& shape) {
  am::work_queue<tree::node> open;
  if (am::rank() == 0) open.push(tree::root_of(shape));
  am::barrier();
  const auto start = std::chrono::steady_clock::now();
  const am::work_share mine = open.process([&](const tree::node& n) {
    for (int i = tree::children_of(shape, n); i > 0; --i) open.push(tree::child_of(shape, n, i));
  });
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const long nodes = am::all_reduce(long(mine.items), std::plus<>{});
  const long stolen = am::all_reduce(long(mine.steals), std::plus<>{});
  if (am::rank() == 0) {
    if (const long expected = count_alone(shape); nodes != expected)
      throw std::runtime_error(std::to_string(nodes) + " nodes, expected " + std::to_string(expected));
    std::printf("%ld nodes on %d ranks, right: %ld times work was stolen (%.1f ms)\n", nodes, int(am::ranks()), stolen,
                time.count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Counts the nodes of an unbalanced tree; ranks without work steal it from others.");
  tree::shape shape;
  arguments.take("--seed", shape.seed, "which tree");
  arguments.take("--root", shape.root_children, "children of the root", 0, 1'000'000);
  arguments.take("--children", shape.children, "of a node that has any", 1, 100);
  arguments.take("--probability", shape.probability, "that a node has children", 0.0, 1.0);
  arguments.take("--rounds", shape.rounds, "of the hash for each node", 1, 10'000);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  if (shape.probability * shape.children >= 1) {
    std::fprintf(stderr, "--probability %g: with --children %d it must be less than %g, or the tree does not end\n",
                 shape.probability, shape.children, 1.0 / shape.children);
    return 2;
  }
  return am::run(argc, argv, [=] { search(shape); });
}
