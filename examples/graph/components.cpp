// SPDX-License-Identifier: Apache-2.0
// Connected components of an undirected graph: every vertex learns the smallest one of its component.
#include "examples/graph/answers.hpp"
#include "examples/graph/input.hpp"

namespace {

using namespace graphs;

void check(const settings& how, const input& in, const am::array<am::vertex_id>& smallest) {
  const neighbour_lists near = how.answer.empty() ? gather_neighbours(in) : neighbour_lists{};
  if (am::rank() != 0) return;
  const std::vector<am::vertex_id> got = am::everything(smallest);
  expect_same_groups({got.begin(), got.end()},
                     how.answer.empty() ? as_answers(sequential_components(near)) : read_whole_answers(how.answer, in.smallest));
}

void run(const settings& how) {
  const input in(how);
  const am::graph<> g = in.make_graph();
  const auto start = am::clock::now();
  const am::array<am::vertex_id> smallest = am::components(g);
  const double ms = am::seconds_since(start) * 1e3;

  const auto own_name = am::views::zip(smallest, am::views::iota(std::size_t{0}, g.size())) |
                        am::views::transform([](am::vertex_id label, std::size_t v) { return label == v; });
  const auto components = am::count(own_name, true);
  check(how, in, smallest);
  am::print_on(0, "components: {}, {} vertices and {} edges on {} ranks: {} components, {:.2f} ms; right, {}\n", how.name(),
               g.size(), g.edges(), am::ranks(), components, ms, how.judge());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Connected components of an undirected graph.");
  settings how;
  add_options(arguments, how);
  if (const auto ended = read(arguments, how, argc, argv)) return *ended;
  return am::run(argc, argv, [=] { run(how); });
}
