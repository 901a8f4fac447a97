// SPDX-License-Identifier: Apache-2.0
// Shortest paths in an undirected graph whose edges have weights.
#include <optional>
#include <stdexcept>
#include <string>

#include "examples/graph/answers.hpp"
#include "examples/graph/input.hpp"

namespace {

using namespace graphs;

void check(const settings& how, const input& in, std::size_t root, const am::array<double>& length) {
  const neighbour_lists near = how.answer.empty() ? gather_neighbours(in) : neighbour_lists{};
  if (am::rank() != 0) return;
  expect_near("length", am::everything(length),
              how.answer.empty() ? as_answers(sequential_distances(near, root)) : read_real_answers(how.answer, in.smallest));
}

void run(const settings& how, std::optional<am::vertex_id> wanted) {
  const input in(how, true);
  const auto g = in.make_graph<am::graph<void, double>>();
  const std::uint64_t root = wanted.value_or(in.smallest) - in.smallest;
  if (root >= g.size()) throw std::runtime_error("--root " + std::to_string(*wanted) + ": the graph has no such vertex");

  const auto start = am::clock::now();
  const am::array<double> length = am::sssp(g, root);
  const double ms = am::seconds_since(start) * 1e3;

  const auto reached = am::count_if(length, [](double l) { return l < am::no_path<double>; });
  check(how, in, root, length);
  am::print_on(0, "sssp: {}, {} vertices and {} edges on {} ranks: paths to {} of them from {}, {:.2f} ms; right, {}\n",
               how.name(), g.size(), g.edges(), am::ranks(), reached, root + in.smallest, ms, how.judge());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Shortest paths: the length of the path to every vertex from a root.");
  settings how;
  std::optional<am::vertex_id> root;
  add_options(arguments, how);
  arguments.take("--root", root, "the vertex to begin with; without it the smallest");
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how, root); });
}
