// SPDX-License-Identifier: Apache-2.0
// Graph algorithms whose items travel as one-way calls; the library collects them.
#include "bench/kernels/graph.hpp"

#include <functional>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

template <class State>
constinit thread_local State* state_here = nullptr;  // this rank's, for the bodies

template <class State>
struct mover {
  using item = typename State::item;
  bool any(bool mine) const { return am::world().all_reduce(mine, std::logical_or<>{}); }
  void send(int rank, item i) const {
    am::async(rank, [](item x) { state_here<State>->take(x); }, i);
  }
  void deliver() const { am::fence(); }
};

/// Nanoseconds per edge end of one rank.
template <class State>
double run(row_context& c) {
  static const graph g(c.ranks);
  State state(g, c.rank);
  state_here<State> = &state;
  mover<State> m;
  am::barrier();
  const std::uint64_t start = now_ns();
  state.run(m);
  am::barrier();
  const double time = double(now_ns() - start);
  verify(state.right(), "graph");
  return time / g.edges_a_rank();
}

}  // namespace

void add_graph(row_table& rows) {
  rows.insert(rows.end(), {{"bfs", run<breadth_first>}, {"pagerank", run<page_rank>}, {"components", run<components>}});
}

}  // namespace bench::suites
