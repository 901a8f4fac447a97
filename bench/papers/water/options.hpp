// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"
#include "bench/papers/water/reference.hpp"

namespace water {

/// What all programs of Water are told.
struct water_options {
  std::vector<int> molecules{64, 512};
  int steps = 10;
  double cutoff = 0;

  void add_to(papers::command_line& line);
  /// 0, or what `main` returns after a mistake that it has named.
  int check(const papers::command_line& line, int workers) const;

  papers::record describe(const std::string& version, const box& x, const energies& expected, const std::string& source) const;
  double microseconds_a_step(double seconds) const { return seconds * 1e6 / steps; }
};

}  // namespace water
