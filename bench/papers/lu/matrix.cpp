// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/lu/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "bench/papers/lu/kernels.hpp"

namespace lu {
namespace {

bool near(double x, double reference, double relative) { return std::abs(x - reference) <= relative * std::abs(reference); }

/// x with L U x = right.
std::vector<double> solve(const std::vector<double>& lu, std::vector<double> x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) x[i] -= lu[i * n + j] * x[j];
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= lu[i * n + j] * x[j];
    x[i] /= lu[i * n + i];
  }
  return x;
}

}  // namespace

test_matrix::test_matrix(int n) : n_(n), a_(std::size_t(n) * std::size_t(n)), right_(std::size_t(n)) {
  unsigned short state[3] = {0x330E, 1, 0};  // as srand48(1) leaves it; a state of its own, since ranks may be threads
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row) {
      double& e = a_[std::size_t(column) * std::size_t(n) + std::size_t(row)];
      e = double(nrand48(state)) / 32767.0 * (row == column ? 10 : 1);
      right_[std::size_t(row)] += e;
    }
}

bool accuracy::right() const noexcept { return residual < 1e-11 && error < 1e-6; }

accuracy accuracy_of(const test_matrix& a, const std::vector<double>& x) {
  std::vector<double> left = a.right_side();
  accuracy result;
  for (int j = 0; j < a.size(); ++j) {
    result.error = std::max(result.error, std::abs(x[std::size_t(j)] - 1));
    for (int i = 0; i < a.size(); ++i) left[std::size_t(i)] -= a(i, j) * x[std::size_t(j)];
  }
  const auto norm = [](const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  };
  result.residual = norm(left) / norm(a.right_side());
  return result;
}

verdict judge(const test_matrix& a, const std::vector<double>& factored) {
  verdict v;
  const auto n = std::size_t(a.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double u = factored[i * n + i];
    v.log_sum += std::log(std::abs(u));
    v.negative += u < 0;
  }
  v.last = factored.back();
  v.solved = accuracy_of(a, solve(factored, a.right_side()));
  return v;
}

bool verdict::agrees(const verdict& r) const noexcept {
  return solved.right() && near(last, r.last, 1e-8) && near(log_sum, r.log_sum, 1e-10) && negative == r.negative;
}

verdict reference_of(const test_matrix& a) {
  if (a.size() == 512) return {.solved = {}, .last = 676541.5421, .log_sum = 6512.0835952456, .negative = 102};
  std::vector<double> rows(a.by_columns().size());
  const auto n = std::size_t(a.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rows[i * n + j] = a(int(i), int(j));
  best_kernels(a.size()).factor(rows.data(), a.size());
  return judge(a, rows);
}

}  // namespace lu
