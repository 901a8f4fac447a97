// SPDX-License-Identifier: Apache-2.0
// CG of the NAS parallel benchmarks with global pointers: cg_mpi.cpp, edited in the way of the MPC++ paper.
#include <algorithm>
#include <cmath>
#include <functional>

#include <armilla/armilla.hpp>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/npb/armilla_count.hpp"
#include "bench/papers/npb/cg_kernels.hpp"
#include "bench/papers/npb/random.hpp"
#include "bench/papers/npb/run.hpp"
#include "bench/papers/npb/workers.hpp"

namespace npb {
namespace {

namespace am = armilla;
using armilla::mpcpp::GlobalPtr;

// parallel
class inverse_iteration {
 public:
  using problem = cg_problem;

  explicit inverse_iteration(const cg_problem& p) : p_(p) {
    rank_ = am::rank();
    ranks_ = am::ranks();
    first_ = first_row(rank_);
    count_ = std::size_t(first_row(rank_ + 1) - first_);
    a_ = make_rows(p, first_, first_row(rank_ + 1));
    for (auto* v : {&x_, &z_, &q_, &r_}) v->resize(count_);
    whole_of_ = am::all_gather(am::allocate<double>(std::size_t(p.order)));
    arrived_ = am::all_gather(am::create_global<am::counter>());
    whole_ = whole_of_[std::size_t(rank_)].local();
    direction_ = std::span(whole_ + first_, count_);
  }

  ~inverse_iteration() {
    am::deallocate(whole_of_[std::size_t(rank_)]);
    am::destroy_global(arrived_[std::size_t(rank_)]);
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
      multiply(a_, whole_, q_);
      const double alpha = rho / sum(dot(direction_, q_));
      const double before = rho;
      rho = sum(advance(alpha, direction_, q_, z_, r_));
      turn(rho / before, r_, direction_);
    }
    std::copy(z_.begin(), z_.end(), direction_.begin());
    exchange();
    multiply(a_, whole_, r_);
    residual_ = std::sqrt(sum(distance(x_, r_)));
  }

  // Of all ranks, to each of them.
  static double sum(double mine) { return am::all_reduce(mine, std::plus<>{}); }

  // To all ranks this rank's part of the vector that is to be multiplied.
  void exchange() {
    for (int i = 1; i < ranks_; ++i) {
      const auto to = std::size_t((rank_ + i) % ranks_);
      am::store(whole_of_[to] + first_, direction_, arrived_[to]);
    }
    arrived_[std::size_t(rank_)].local()->wait(std::uint64_t(ranks_) - 1);
  }

  int first_row(int rank) const noexcept { return int(first_of(std::uint64_t(p_.order), rank, ranks_)); }

  const cg_problem& p_;
  int rank_, ranks_, first_;
  std::size_t count_;
  sparse_rows a_;
  std::vector<double> x_, z_, q_, r_;            ///< this rank's part
  double* whole_;                                ///< what is multiplied
  std::vector<GlobalPtr<double>> whole_of_;      ///< on every rank
  std::vector<GlobalPtr<am::counter>> arrived_;  ///< parts of it
  std::span<double> direction_;                  ///< my part of it
  double zeta_ = 0, residual_ = 0;
};
// end of parallel

options how("cg", cg_problem::what, "one-sided");
void part() { run<inverse_iteration, armilla_count>(how, papers::armilla_job(), "one-sided", "bench/papers/npb/cg_armilla.cpp"); }

}  // namespace
}  // namespace npb

int main(int argc, char** argv) {
  if (const auto code = npb::how.read(argc, argv)) return *code;
  return armilla::mpcpp::run_main(argc, argv, npb::master<npb::part>);
}
