// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/em3d/mpi_region.hpp"

namespace em3d {

/// EM3D base by one-sided communication: each far value is got when it is needed.
// parallel
class mpi_base {
 public:
  explicit mpi_base(const mpi_region& r) : mine_(r), rank_(papers::mpi_job{}.rank()) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine_.edges(f)) edges_[f].push_back({mine_.owner(e.from), mine_.place_at_owner(e.from), e.weight});
  }
  void half_step(field f) {
    const MPI_Win window = mine_.window(other(f));
    subtract_terms({mine_.all(f), std::size_t(mine_.count())}, mine_.graph().degree,
                   [e = edges_[f].data(), near = mine_.all(other(f)), me = rank_, window](std::size_t i) {
                     if (e[i].rank == me) return e[i].weight * near[e[i].place];
                     double value;
                     MPI_Get(&value, 1, MPI_DOUBLE, e[i].rank, e[i].place, 1, MPI_DOUBLE, window);
                     MPI_Win_flush(e[i].rank, window);
                     return e[i].weight * value;
                   });
    mine_.meet();
  }

 private:
  struct remote_edge {
    int rank, place;
    double weight;
  };
  const mpi_region& mine_;
  int rank_;
  std::vector<remote_edge> edges_[2];
};
// end of parallel

}  // namespace em3d
