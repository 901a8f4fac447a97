// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/em3d/mpi_region.hpp"

namespace em3d {

/// EM3D ghost by one-sided communication: every far node is got once a half step, all overlapping.
// parallel
class mpi_ghost {
 public:
  explicit mpi_ghost(const mpi_region& r) : mine_(r), near_(r) {
    for (const field f : {electric, magnetic})
      for (const int node : mine_.ghosts(f)) far_[f].push_back({mine_.owner(node), mine_.place_at_owner(node)});
  }
  void half_step(field f) {
    double* copy = mine_.all(other(f)) + mine_.count();
    for (const auto& [rank, place] : far_[other(f)])
      MPI_Get(copy++, 1, MPI_DOUBLE, rank, place, 1, MPI_DOUBLE, mine_.window(other(f)));
    MPI_Win_flush_all(mine_.window(other(f)));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    mine_.meet();
  }

 private:
  struct remote_node {
    int rank, place;
  };
  const mpi_region& mine_;
  near_edges near_;
  std::vector<remote_node> far_[2];
};
// end of parallel

}  // namespace em3d
