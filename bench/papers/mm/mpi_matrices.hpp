// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/baseline/mpi_window.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/mm/layout.hpp"

namespace mm {

/// A and B in windows, C beside them.
class mpi_matrices : public layout {
 public:
  explicit mpi_matrices(const layout& l) : layout(l), rank_(papers::mpi_job{}.rank()), a_(room()), b_(room()), c_(room()) {
    reset();
  }

  void reset() { begin(*this, rank_, a_.data(), b_.data(), c_.data()); }
  bool agrees() const { return right(*this, rank_, c_.data()); }
  int rank() const { return rank_; }
  const bench::mpi::window<double>& a() const { return a_; }
  const bench::mpi::window<double>& b() const { return b_; }
  double* own_c(int i, int j) { return c_.data() + place(i, j); }

  /// The block if this rank has it; else it is asked for, and comes into `room` with the request's end.
  const double* here(const bench::mpi::window<double>& of, int i, int j, std::vector<double>& room, MPI_Request* request) const {
    const int there = owner(i, j), count = int(elements());
    if (there == rank_) return of.data() + place(i, j);
    MPI_Rget(room.data(), count, MPI_DOUBLE, there, MPI_Aint(place(i, j)), count, MPI_DOUBLE, of.handle(), request);
    return room.data();
  }

 private:
  int rank_;
  bench::mpi::window<double> a_, b_;
  std::vector<double> c_;
};

}  // namespace mm
