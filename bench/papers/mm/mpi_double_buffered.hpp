// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "bench/papers/mm/mpi_matrices.hpp"

namespace mm {

/// As `mpi_get`, but the blocks of the next product are on their way while this one is computed.
// parallel
class mpi_double_buffered {
 public:
  explicit mpi_double_buffered(mpi_matrices& m) : m_(m), now_(m.elements()), next_(m.elements()) {}
  void multiply() {
    bool any = false;
    m_.for_each_product_of(m_.rank(), [this, &any](int i, int j, int k, bool first) {
      next_.x = m_.here(m_.a(), i, k, next_.room_x, &next_.requests[0]);
      next_.y = m_.here(m_.b(), k, j, next_.room_y, &next_.requests[1]);
      next_.c = m_.own_c(i, j), next_.first = first;
      if (any) compute_now();
      any = true;
      std::swap(now_, next_);
    });
    if (any) compute_now();
  }

 private:
  /// A product whose blocks are wanted, on their way, or there.
  struct product {
    explicit product(std::size_t elements) : room_x(elements), room_y(elements) {}
    std::vector<double> room_x, room_y;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const double *x = nullptr, *y = nullptr;
    double* c = nullptr;
    bool first = false;
  };

  void compute_now() {
    MPI_Waitall(2, now_.requests, MPI_STATUSES_IGNORE);
    multiply_block(m_, now_.x, now_.y, now_.c, now_.first);
  }

  mpi_matrices& m_;
  product now_, next_;
};
// end of parallel

}  // namespace mm
