// SPDX-License-Identifier: Apache-2.0
// CG of the NAS parallel benchmarks with two-sided messages: from its published specification, by rows of the matrix as the
// program of the MPC++ paper. cg_armilla.cpp is an edit of it.
#include <mpi.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/npb/cg_kernels.hpp"
#include "bench/papers/npb/mpi_count.hpp"
#include "bench/papers/npb/random.hpp"
#include "bench/papers/npb/run.hpp"

namespace npb {
namespace {

// parallel
class inverse_iteration {
 public:
  using problem = cg_problem;

  explicit inverse_iteration(const cg_problem& p) : p_(p) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    first_ = first_row(rank_);
    count_ = std::size_t(first_row(rank_ + 1) - first_);
    a_ = make_rows(p, first_, first_row(rank_ + 1));
    for (auto* v : {&x_, &z_, &q_, &r_}) v->resize(count_);
    whole_.resize(std::size_t(p.order));
    direction_ = std::span(whole_).subspan(std::size_t(first_), count_);
  }

  // The benchmark begins with an iteration that is not timed.
  void prepare() {
    std::fill(x_.begin(), x_.end(), 1.0);
    iterate();
    std::fill(x_.begin(), x_.end(), 1.0);
  }

  void run() {
    for (int i = 0; i < p_.iterations; ++i) iterate();
  }

  bool right() const noexcept { return p_.accepts(zeta_) && residual_ < 1e-9; }
  papers::json checks() const { return {{"zeta", p_.shown(zeta_)}}; }

 private:
  void iterate() {
    solve();
    const double xz = sum(dot(x_, z_));
    const double zz = sum(dot(z_, z_));
    zeta_ = p_.shift + 1 / xz;
    scale(1 / std::sqrt(zz), z_, x_);
  }

  // z: about the solution of A z = x, by conjugate gradients.
  void solve() {
    std::fill(z_.begin(), z_.end(), 0.0);
    r_ = x_;
    std::copy(x_.begin(), x_.end(), direction_.begin());
    double rho = sum(dot(r_, r_));
    for (int step = 0; step < cg_problem::steps; ++step) {
      exchange();
      multiply(a_, whole_.data(), q_);
      const double alpha = rho / sum(dot(direction_, q_));
      const double before = rho;
      rho = sum(advance(alpha, direction_, q_, z_, r_));
      turn(rho / before, r_, direction_);
    }
    std::copy(z_.begin(), z_.end(), direction_.begin());
    exchange();
    multiply(a_, whole_.data(), r_);
    residual_ = std::sqrt(sum(distance(x_, r_)));
  }

  // Of all ranks, to each of them: at each step pairs of groups twice as large.
  double sum(double mine) {
    for (int distance = 1; distance < ranks_; distance *= 2) {
      double other = 0;
      MPI_Request request;
      MPI_Irecv(&other, 1, MPI_DOUBLE, rank_ ^ distance, 1, MPI_COMM_WORLD, &request);
      MPI_Send(&mine, 1, MPI_DOUBLE, rank_ ^ distance, 1, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      mine += other;
    }
    return mine;
  }

  // To all ranks this rank's part of the vector that is to be multiplied.
  void exchange() {
    std::vector<MPI_Request> requests(std::size_t(ranks_) - 1);
    for (int i = 1; i < ranks_; ++i) {
      const int from = (rank_ + ranks_ - i) % ranks_;
      MPI_Irecv(whole_.data() + first_row(from), first_row(from + 1) - first_row(from), MPI_DOUBLE, from, 2, MPI_COMM_WORLD,
                &requests[std::size_t(i) - 1]);
    }
    for (int i = 1; i < ranks_; ++i)
      MPI_Send(direction_.data(), int(count_), MPI_DOUBLE, (rank_ + i) % ranks_, 2, MPI_COMM_WORLD);
    for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  int first_row(int rank) const noexcept { return int(first_of(std::uint64_t(p_.order), rank, ranks_)); }

  const cg_problem& p_;
  int rank_, ranks_, first_;
  std::size_t count_;
  sparse_rows a_;
  std::vector<double> x_, z_, q_, r_;  ///< this rank's part
  std::vector<double> whole_;          ///< what is multiplied
  std::span<double> direction_;        ///< my part of it
  double zeta_ = 0, residual_ = 0;
};
// end of parallel

}  // namespace
}  // namespace npb

int main(int argc, char** argv) {
  npb::options how("cg", npb::cg_problem::what, "two-sided");
  if (const auto code = how.read(argc, argv)) return *code;
  return papers::run_mpi("cg", [&] {
    const papers::mpi_job job;
    if ((job.ranks() & (job.ranks() - 1)) != 0)
      return job.rank() != 0 ? 2 : how.refuse(fmt::format("{} ranks: must be a power of two", job.ranks()));
    npb::run<npb::inverse_iteration, npb::mpi_count>(how, job, "two-sided", "bench/papers/npb/cg_mpi.cpp");
    return 0;
  });
}
