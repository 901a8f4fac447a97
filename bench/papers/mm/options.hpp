// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/papers/common/measure.hpp"
#include "bench/papers/mm/layout.hpp"

namespace papers {

/// What the matrix multiplication is told, by Armilla and by hand alike.
struct mm_options {
  std::vector<int> sides{8, 16, 32, 64, 128, 256, 512};
  int blocks = 8;
  long times = 0;  ///< products a sample; 0: as many as take a moment

  void add_to(command_line& line);
  /// 0, or 2 after the line has told what cannot be.
  int check(const command_line& line) const;
};

/// Measures `version`, which multiplies all of this rank's blocks with `multiply()`, as often as takes a moment. `again()`: back
/// to the beginning; `right()`: whether this rank's results are right.
template <job Job, class Version, class Again, class Right>
void measure_mm(runner<Job>& run, const mm_options& how, const mm::layout& l, const std::string& name, const char* source,
                Version&& version, Again&& again, Right&& right) {
  const long times = how.times > 0 ? how.times : std::clamp(long(5e8 / l.operations()), 1L, 20'000L);
  run.measure({.version = name,
               .size = {{"block", l.side}, {"blocks", l.blocks}},
               .unit = "GF/s",
               .checks = {{"c(0,1)", mm::c_value(l, 0, 1)}},
               .source = source},
              work{.prepare = again,
                   .body =
                       [&] {
                         for (long i = 0; i < times; ++i) version.multiply();
                       },
                   .right = right,
                   .value = [&](double seconds) { return double(times) * l.operations() / seconds * 1e-9; }});
}

}  // namespace papers
