// SPDX-License-Identifier: Apache-2.0
// The graph algorithms with items collected per destination and exchanged once a round.
#include <mpi.h>

#include <utility>

#include "bench/baseline/mpi.hpp"
#include "bench/kernels/graph.hpp"

namespace bench::mpi {
namespace {

template <class State>
class mover {
 public:
  using item = typename State::item;
  mover(State& state, int ranks)
      : state_(state),
        out_(std::size_t(ranks)),
        sent_(out_.size()),
        sent_at_(out_.size()),
        came_(out_.size()),
        came_at_(out_.size()) {}

  bool any(bool mine) const {
    int one = mine, all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return all != 0;
  }
  void send(int rank, item i) { out_[std::size_t(rank)].push_back(i); }

  void deliver() {
    packed_.clear();
    for (std::size_t r = 0; r < out_.size(); ++r) {
      sent_at_[r] = int(packed_.size() * sizeof(item));
      sent_[r] = int(out_[r].size() * sizeof(item));
      packed_.insert(packed_.end(), out_[r].begin(), out_[r].end());
      out_[r].clear();
    }
    MPI_Alltoall(sent_.data(), 1, MPI_INT, came_.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t r = 0; r < out_.size(); ++r) came_at_[r] = std::exchange(total, total + came_[r]);
    in_.resize(std::size_t(total) / sizeof(item));
    MPI_Alltoallv(packed_.data(), sent_.data(), sent_at_.data(), MPI_BYTE, in_.data(), came_.data(), came_at_.data(), MPI_BYTE,
                  MPI_COMM_WORLD);
    for (const item& i : in_) state_.take(i);
  }

 private:
  State& state_;
  std::vector<std::vector<item>> out_;
  std::vector<int> sent_, sent_at_, came_, came_at_;
  std::vector<item> packed_, in_;
};

template <class State>
double run(row_context& c) {
  static const graph g(c.ranks);
  State state(g, c.rank);
  mover<State> m(state, c.ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  state.run(m);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = double(now_ns() - start);
  verify(state.right(), "graph");
  return time / g.edges_a_rank();
}

}  // namespace

void add_graph(row_table& rows) {
  rows.insert(rows.end(),
              {{"mpi_bfs", run<breadth_first>}, {"mpi_pagerank", run<page_rank>}, {"mpi_components", run<components>}});
}

}  // namespace bench::mpi
