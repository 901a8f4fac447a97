// SPDX-License-Identifier: Apache-2.0
// PageRank of an undirected graph, by a given number of rounds.
#include "examples/graph/answers.hpp"
#include "examples/graph/input.hpp"

namespace {

using namespace graphs;

void check(const settings& how, const input& in, int rounds, const am::array<double>& rank) {
  const neighbour_lists near = how.answer.empty() ? gather_neighbours(in) : neighbour_lists{};
  if (am::rank() != 0) return;
  expect_near("rank", am::everything(rank),
              how.answer.empty() ? as_answers(sequential_page_ranks(near, rounds)) : read_real_answers(how.answer, in.smallest));
}

void run(const settings& how, int rounds) {
  const input in(how);
  const am::graph<> g = in.make_graph();
  const auto start = am::clock::now();
  const am::array<double> rank = am::pagerank(g, {.damping = damping, .tolerance = 0, .rounds = rounds});
  const double ms = am::seconds_since(start) * 1e3;

  check(how, in, rounds, rank);
  am::print_on(0, "pagerank: {}, {} vertices and {} edges on {} ranks: {} rounds, {:.2f} ms; right, {}\n", how.name(), g.size(),
               g.edges(), am::ranks(), rounds, ms, how.judge());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("PageRank of an undirected graph, damping 0.85.");
  settings how;
  int rounds = 10;
  add_options(arguments, how);
  arguments.take("--rounds", rounds, "how often ranks are shared out", 0, 1000);
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how, rounds); });
}
