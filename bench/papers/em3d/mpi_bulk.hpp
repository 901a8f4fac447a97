// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/em3d/mpi_region.hpp"

namespace em3d {

/// EM3D bulk by two-sided communication: one message from each rank that has something to each that reads it. No barrier is
/// needed.
// parallel
class mpi_bulk {
 public:
  explicit mpi_bulk(const mpi_region& r) : mine_(r), near_(r), exchanges_{exchanges_of(r, electric), exchanges_of(r, magnetic)} {}
  void half_step(field f) {
    exchange(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  void exchange(field f) {
    requests_.clear();
    for (const mpi_exchange& x : exchanges_[f])
      if (x.count > 0)
        MPI_Irecv(mine_.all(f) + x.first, x.count, MPI_DOUBLE, x.rank, f, MPI_COMM_WORLD, &requests_.emplace_back());
    for (mpi_exchange& x : exchanges_[f]) {
      if (x.wanted.empty()) continue;
      x.pack(mine_.all(f));
      MPI_Isend(x.packed.data(), int(x.packed.size()), MPI_DOUBLE, x.rank, f, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  const mpi_region& mine_;
  near_edges near_;
  std::vector<mpi_exchange> exchanges_[2];
  std::vector<MPI_Request> requests_;
};
// end of parallel

}  // namespace em3d
