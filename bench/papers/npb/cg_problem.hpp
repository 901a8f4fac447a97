// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "bench/papers/common/record.hpp"

namespace npb {

/// A class of the benchmark CG: the order of the matrix, what makes it, and the eigenvalue that is found.
struct cg_problem {
  char name;
  int order;
  int random_elements;  ///< of each of the sparse vectors whose outer products make the matrix
  int iterations;       ///< of inverse iteration
  double shift;
  double zeta;

  static constexpr const char* what =
      "CG of the NAS parallel benchmarks: an eigenvalue of a sparse matrix, by conjugate gradients.";
  static constexpr int steps = 25;  ///< of conjugate gradients in an iteration
  static constexpr double condition = 0.1;

  /// By its name: S, W, A or B; T is S with one iteration, for simulators, which take long for each message.
  static const cg_problem& find(char name);

  /// What the benchmark counts.
  std::int64_t operations() const noexcept {
    const std::int64_t row = random_elements * (random_elements + 1);
    return 2L * iterations * order * (3 + row + steps * (5 + row) + 3);
  }
  /// The benchmark accepts 1e-10 relative.
  bool accepts(double found) const noexcept;
  papers::json size() const;
  /// A value of zeta in as many digits as must agree.
  static std::string shown(double zeta);
};

/// Some rows of a sparse matrix.
struct sparse_rows {
  std::vector<std::int64_t> begin;  ///< of each row among the elements, and their number
  std::vector<std::int32_t> column;
  std::vector<double> value;

  std::size_t rows() const noexcept { return begin.size() - 1; }
};

/// The rows from `first` to before `last` of the matrix of a class.
sparse_rows make_rows(const cg_problem& p, int first, int last);

}  // namespace npb
