// SPDX-License-Identifier: Apache-2.0
// Breadth-first search of an undirected graph.
#include <optional>
#include <stdexcept>
#include <string>

#include "examples/graph/answers.hpp"
#include "examples/graph/input.hpp"

namespace {

using namespace graphs;

void check(const settings& how, const input& in, std::size_t root, const am::array<std::int32_t>& level) {
  const neighbour_lists near = how.answer.empty() ? gather_neighbours(in) : neighbour_lists{};
  if (am::rank() != 0) return;
  std::vector<std::int64_t> got;
  for (const std::int32_t l : am::everything(level)) got.push_back(l < 0 ? unreached : l);
  expect_equal("depth", got,
               how.answer.empty() ? as_answers(sequential_depths(near, root)) : read_whole_answers(how.answer, in.smallest));
}

void run(const settings& how, std::optional<am::vertex_id> wanted) {
  const input in(how);
  const am::graph<> g = in.make_graph();
  const std::uint64_t root = wanted.value_or(in.smallest) - in.smallest;
  if (root >= g.size()) throw std::runtime_error("--root " + std::to_string(*wanted) + ": the graph has no such vertex");

  const auto start = am::clock::now();
  const am::array<std::int32_t> level = am::bfs(g, root);
  const double ms = am::seconds_since(start) * 1e3;

  const auto reached = am::count_if(level, [](std::int32_t l) { return l >= 0; });
  const auto levels = am::max(level) + 1;
  check(how, in, root, level);
  am::print_on(0, "bfs: {}, {} vertices and {} edges on {} ranks: {} of them from {} in {} levels, {:.2f} ms; right, {}\n",
               how.name(), g.size(), g.edges(), am::ranks(), reached, root + in.smallest, levels, ms, how.judge());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Breadth-first search: the depth of every vertex from a root.");
  settings how;
  std::optional<am::vertex_id> root;
  add_options(arguments, how);
  arguments.take("--root", root, "the vertex to begin with; without it the smallest");
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how, root); });
}
