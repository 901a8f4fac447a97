// SPDX-License-Identifier: Apache-2.0
// Connected components: every vertex learns the smallest number in its component. Labels spread as statements without any order
// between the ranks; a fence tells when none is under way.
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/graph/answers.hpp"
#include "examples/graph/options.hpp"
#include "examples/graph/part.hpp"

namespace {

using namespace graphs;

/// One rank's part of the labels.
class labelling {
 public:
  explicit labelling(const part& g) : graph_(g), label_(g.places()), waits_(g.places(), true), todo_(g.places()) {
    for (vertex v = 0; v < g.places(); ++v) label_[v] = g.at(v);
    std::iota(todo_.begin(), todo_.end(), vertex{0});
  }

  /// Statement: the vertex at `place` has a neighbour with this label. It only takes a note of what there is to do: a body may
  /// send, but the rank's own loop can be held back when others do not keep up.
  void lower(vertex place, vertex label) {
    if (label >= label_[place]) return;
    label_[place] = label;
    if (!waits_[place]) todo_.push_back(place);
    waits_[place] = true;
  }

  /// All ranks together.
  void run(am::distributed<labelling>& parts) {
    do {
      while (!todo_.empty()) spread(parts);
      am::fence();
    } while (am::all_reduce(!todo_.empty(), std::logical_or<>{}));
  }

  std::vector<std::int64_t> labels() const { return {label_.begin(), label_.end()}; }

 private:
  void spread(am::distributed<labelling>& parts) {
    spreading_.swap(todo_);
    for (const vertex v : spreading_) {
      waits_[v] = false;
      for (const vertex w : graph_.neighbours(v))
        am::async<&labelling::lower>(parts.on(graph_.owner(w)), graph_.place(w), label_[v]);
    }
    spreading_.clear();
    am::poll();
  }

  const part& graph_;
  std::vector<vertex> label_;
  std::vector<bool> waits_;  ///< is in todo_
  std::vector<vertex> todo_, spreading_;
};

void check(const settings& how, const std::vector<std::int64_t>& got) {
  if (am::rank() != 0) return;
  expect_same_groups(got, how.answer.empty() ? as_answers(sequential_components(how.graph)) : read_whole_answers(how.answer));
}

void run(const settings& how) {
  const part g(how.graph);
  am::distributed<labelling> l(g);
  am::barrier();
  const stopwatch time;
  l->run(l);
  const double ms = time.milliseconds();

  long mine = 0;  // vertices that give their component its name
  const std::vector<std::int64_t> labels = l->labels();
  for (vertex v = 0; v < g.places(); ++v) mine += g.degree(v) != 0 && labels[v] == g.at(v);
  const long components = am::all_reduce(mine, std::plus<>{});
  check(how, in_order(g, labels));
  if (am::rank() == 0)
    std::printf("components: %s, %llu vertices and %llu edges on %d ranks: %ld components, %.2f ms; right, %s\n",
                how.graph.name().c_str(), static_cast<unsigned long long>(g.vertices()),
                static_cast<unsigned long long>(g.edges()), am::ranks(), components, ms, judge(how).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Connected components of an undirected graph.");
  settings how;
  add_options(arguments, how);
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how); });
}
