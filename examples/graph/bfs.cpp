// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level: each rank holds a part of the vertices, and the frontier travels as statements.
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/graph/answers.hpp"
#include "examples/graph/options.hpp"
#include "examples/graph/part.hpp"

namespace {

using namespace graphs;

/// One rank's part of a search.
class search {
 public:
  explicit search(const part& g) : graph_(g), depth_(g.places(), unreached) {}

  /// Statement: an edge leads to the vertex at `place`.
  void visit(vertex place) {
    if (depth_[place] != unreached) return;
    depth_[place] = level_;
    next_.push_back(place);
  }

  /// Returns how many levels there are. All ranks together.
  std::int64_t run(am::distributed<search>& parts, vertex root) {
    if (graph_.owner(root) == am::rank()) visit(graph_.place(root));
    while (advance()) {
      for (const vertex v : frontier_)
        for (const vertex w : graph_.neighbours(v)) am::async<&search::visit>(parts.on(graph_.owner(w)), graph_.place(w));
      am::fence();
    }
    return level_ - 1;
  }

  const std::vector<std::int64_t>& depths() const { return depth_; }

 private:
  /// To the next level, if any rank has vertices there. The answer is also the sign that all ranks have got so far: statements
  /// of the new level may come as soon as it is there.
  bool advance() {
    frontier_.swap(next_);
    next_.clear();
    ++level_;
    return am::all_reduce(!frontier_.empty(), std::logical_or<>{});
  }

  const part& graph_;
  std::vector<std::int64_t> depth_;
  std::int64_t level_ = 0;
  std::vector<vertex> frontier_, next_;
};

void check(const settings& how, vertex root, const std::vector<std::int64_t>& got) {
  if (am::rank() != 0) return;
  expect_equal("depth", got,
               how.answer.empty() ? as_answers(sequential_depths(how.graph, root)) : read_whole_answers(how.answer));
}

void run(const settings& how, std::optional<vertex> wanted) {
  const part g(how.graph);
  const vertex root = wanted.value_or(g.smallest());
  const bool there = root <= g.greatest() && (g.owner(root) != am::rank() || g.degree(g.place(root)) != 0);
  if (!am::all_reduce(there, std::logical_and<>{}))
    throw std::runtime_error("--root " + std::to_string(root) + ": the graph has no such vertex");

  am::distributed<search> s(g);
  am::barrier();
  const stopwatch time;
  const std::int64_t levels = s->run(s, root);
  const double ms = time.milliseconds();

  const std::vector<std::int64_t> depths = in_order(g, s->depths());
  check(how, root, depths);
  if (am::rank() == 0)
    std::printf("bfs: %s, %llu vertices and %llu edges on %d ranks: %lld of them from %u in %lld levels, %.2f ms; right, %s\n",
                how.graph.name().c_str(), static_cast<unsigned long long>(g.vertices()),
                static_cast<unsigned long long>(g.edges()), am::ranks(),
                static_cast<long long>(std::count_if(depths.begin(), depths.end(), [](auto d) { return d != unreached; })), root,
                static_cast<long long>(levels), ms, judge(how).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Breadth-first search: the depth of every vertex from a root.");
  settings how;
  std::optional<vertex> root;
  add_options(arguments, how);
  arguments.take("--root", root, "the vertex to begin with; without it the smallest");
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how, root); });
}
