// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, preconditioned by the diagonal, by MPI: rows in blocks, a list made once of the elements that travel
// between each two ranks, and the rows that need none of them done while these are under way.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "bench/baseline/mpi.hpp"
#include "bench/kernels/equations.hpp"

namespace bench::mpi {
namespace {

using numbers = std::vector<double>;

double sum_over_all(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

/// Rows of one rank. Columns count its own elements, then those that others send.
class block_of_rows {
 public:
  block_of_rows(const row_context& c, const std::vector<equation_entry>& entries) : c_(c) {
    const std::size_t first = first_row(c.rank);
    rows_ = first_row(c.rank + 1) - first;
    std::map<std::size_t, int> place_of;  // of columns elsewhere
    const auto is_own = [&](std::size_t column) { return column >= first && column < first + rows_; };
    for (const equation_entry& e : entries)
      if (!is_own(e.column)) place_of[e.column] = 0;
    int places = 0;
    for (auto& [column, place] : place_of) place = int(rows_) + places++;
    begin_.assign(rows_ + 1, 0);
    diagonal.assign(rows_, 0);
    std::vector<bool> needs_others(rows_);
    for (const equation_entry& e : entries) {
      const std::size_t row = e.row - first;
      begin_[row + 1] = value_.size() + 1;
      value_.push_back(e.value);
      column_.push_back(is_own(e.column) ? int(e.column - first) : place_of[e.column]);
      if (!is_own(e.column)) needs_others[row] = true;
      if (e.column == e.row) diagonal[row] = e.value;
    }
    for (std::size_t row = 0; row < rows_; ++row) (needs_others[row] ? outer_ : inner_).push_back(row);
    plan(place_of);
  }

  numbers like() const { return numbers(rows_ + places_); }
  std::size_t rows() const { return rows_; }

  /// y = A x
  void multiply(numbers& x, numbers& y) {
    under_way_.clear();
    for (const side& s : in_)
      MPI_Irecv(x.data() + s.place, int(s.count), MPI_DOUBLE, s.rank, 0, MPI_COMM_WORLD, &under_way_.emplace_back());
    for (side& s : out_) {
      for (std::size_t k = 0; k < s.rows.size(); ++k) s.room[k] = x[s.rows[k]];
      MPI_Isend(s.room.data(), int(s.room.size()), MPI_DOUBLE, s.rank, 0, MPI_COMM_WORLD, &under_way_.emplace_back());
    }
    for (const std::size_t row : inner_) y[row] = row_times(row, x);
    MPI_Waitall(int(under_way_.size()), under_way_.data(), MPI_STATUSES_IGNORE);
    for (const std::size_t row : outer_) y[row] = row_times(row, x);
  }

  numbers diagonal;

 private:
  /// What goes to another rank, or comes from it.
  struct side {
    int rank;
    std::size_t place, count;
    std::vector<std::size_t> rows;
    numbers room;
  };

  std::size_t first_row(int rank) const { return std::size_t(c_.size) * std::size_t(rank) / std::size_t(c_.ranks); }

  void plan(const std::map<std::size_t, int>& place_of) {
    places_ = place_of.size();
    for (int r = 0; r < c_.ranks; ++r) {
      std::vector<std::size_t> wanted, given;
      const auto from = place_of.lower_bound(first_row(r)), to = place_of.lower_bound(first_row(r + 1));
      for (auto at = from; at != to; ++at) wanted.push_back(at->first);
      unsigned long counts[2] = {wanted.size(), 0};
      MPI_Sendrecv(&counts[0], 1, MPI_UNSIGNED_LONG, r, 1, &counts[1], 1, MPI_UNSIGNED_LONG, r, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      given.resize(counts[1]);
      MPI_Sendrecv(wanted.data(), int(wanted.size()), MPI_UNSIGNED_LONG, r, 2, given.data(), int(given.size()), MPI_UNSIGNED_LONG,
                   r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (std::size_t& row : given) row -= first_row(c_.rank);
      if (!wanted.empty()) in_.push_back({r, std::size_t(from->second), wanted.size(), {}, {}});
      if (!given.empty()) out_.push_back({r, 0, given.size(), given, numbers(given.size())});
    }
    under_way_.reserve(in_.size() + out_.size());  // requests stay where they are
  }

  double row_times(std::size_t row, const numbers& x) const {
    double sum = 0;
    for (std::size_t k = begin_[row]; k < begin_[row + 1]; ++k) sum += value_[k] * x[std::size_t(column_[k])];
    return sum;
  }

  const row_context& c_;
  std::size_t rows_ = 0, places_ = 0;
  std::vector<std::size_t> begin_, inner_, outer_;
  std::vector<int> column_;
  numbers value_;
  std::vector<side> in_, out_;
  std::vector<MPI_Request> under_way_;
};

/// The energy of what x differs from ones by.
double energy(block_of_rows& a, const numbers& x) {
  numbers error = x, product = a.like();
  for (double& e : error) e -= 1;
  a.multiply(error, product);
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += error[i] * product[i];
  return sum_over_all(sum);
}

void steps(block_of_rows& a, const numbers& b, numbers& x, long n) {
  const std::size_t rows = a.rows();
  const double* const d = a.diagonal.data();
  numbers p = a.like(), q = a.like(), r = b;
  std::fill(x.begin(), x.end(), 0);
  double rz = 0;
  for (std::size_t i = 0; i < rows; ++i) p[i] = r[i] / d[i], rz += r[i] * p[i];
  rz = sum_over_all(rz);
  for (long k = 0; k < n; ++k) {
    a.multiply(p, q);
    double pq = 0, next = 0;
    for (std::size_t i = 0; i < rows; ++i) pq += p[i] * q[i];
    const double alpha = rz / sum_over_all(pq);
    for (std::size_t i = 0; i < rows; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i] / d[i];
    }
    next = sum_over_all(next);
    const double beta = next / rz;
    for (std::size_t i = 0; i < rows; ++i) p[i] = r[i] / d[i] + beta * p[i];
    rz = next;
  }
}

template <std::vector<equation_entry> rows_of(std::size_t, std::size_t, std::size_t)>
double solve(row_context& c) {
  const auto n = std::size_t(c.size), ranks = std::size_t(c.ranks), rank = std::size_t(c.rank);
  block_of_rows a(c, rows_of(n, n * rank / ranks, n * (rank + 1) / ranks));
  numbers x = a.like(), b = a.like();
  const double energy_before = energy(a, x);
  std::fill(x.begin(), x.end(), 1);
  a.multiply(x, b);
  const double time = time_per(c.iterations, [&](long k) {
    steps(a, b, x, k);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  verify(energy(a, x) < energy_before / 2, "conjugate gradients by MPI");
  return time;
}

}  // namespace

void add_equations(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_cg_poisson", solve<poisson_rows>}, {"mpi_cg_stiff", solve<stiff_rows>}});
}

}  // namespace bench::mpi
