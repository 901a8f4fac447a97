// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>

#include "bench/papers/inner/numbers.hpp"

/// The inner product in STAPL's words. Paper: STAPL, section 7.3.
namespace inner::in_stapl {

// parallel
/// Each node multiplies its part; one collect adds the parts on all nodes.
struct p_square : stapl::parallel_task {
  explicit p_square(std::vector<double> elements) : part(std::move(elements)) {}
  void execute() override {
    result = 0;
    stapl::collect_rmi(this, &p_square::add, dot(part, part), result);
  }
  void add(const double& input, double& output) { output += input; }

  std::vector<double> part;
  double result = 0;
};
// end of parallel

}  // namespace inner::in_stapl
