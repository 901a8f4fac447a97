// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/em3d/mpi_region.hpp"

namespace em3d {

/// EM3D bulk by one-sided communication: an owner of values puts all that a rank reads into its ghosts.
// parallel
class mpi_bulk_put {
 public:
  explicit mpi_bulk_put(const mpi_region& r)
      : mine_(r), near_(r), exchanges_{exchanges_of(r, electric), exchanges_of(r, magnetic)} {}
  void half_step(field f) {
    exchange(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  void exchange(field f) {
    for (mpi_exchange& x : exchanges_[f]) {
      x.pack(mine_.all(f));
      const int count = int(x.packed.size());
      MPI_Put(x.packed.data(), count, MPI_DOUBLE, x.rank, x.there, count, MPI_DOUBLE, mine_.window(f));
    }
    MPI_Win_flush_all(mine_.window(f));
    mine_.meet();  // every reader has what it needs, and has used what it had of the other field
  }

  const mpi_region& mine_;
  near_edges near_;
  std::vector<mpi_exchange> exchanges_[2];
};
// end of parallel

}  // namespace em3d
