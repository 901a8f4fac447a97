// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/mm/mpi_matrices.hpp"

namespace mm {

/// Each block that lies elsewhere is got into room for two.
// parallel
class mpi_get {
 public:
  explicit mpi_get(mpi_matrices& m) : m_(m), x_(m.elements()), y_(m.elements()) {}
  void multiply() {
    m_.for_each_product_of(m_.rank(), [this](int i, int j, int k, bool first) {
      const double* x = here(m_.a(), i, k, x_);
      const double* y = here(m_.b(), k, j, y_);
      if (x == x_.data()) MPI_Win_flush(m_.owner(i, k), m_.a().handle());
      if (y == y_.data()) MPI_Win_flush(m_.owner(k, j), m_.b().handle());
      multiply_block(m_, x, y, m_.own_c(i, j), first);
    });
  }

 private:
  const double* here(const bench::mpi::window<double>& of, int i, int j, std::vector<double>& room) const {
    const int there = m_.owner(i, j), count = int(m_.elements());
    if (there == m_.rank()) return of.data() + m_.place(i, j);
    MPI_Get(room.data(), count, MPI_DOUBLE, there, MPI_Aint(m_.place(i, j)), count, MPI_DOUBLE, of.handle());
    return room.data();
  }

  mpi_matrices& m_;
  std::vector<double> x_, y_;
};
// end of parallel

}  // namespace mm
