// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/harness/sampler.hpp"

namespace bench {

/// One comparison with a figure to reach. All limits are upper ones.
struct judgement {
  std::string against;  ///< "raw line", "ns", or the baseline's name
  double got = 0;
  double limit = 0;
  bool counts = true;  ///< false: measured in a state in which the target is not judged
  bool passed() const { return got <= limit; }
};
std::vector<judgement> judge(const result& r);

/// A row for people: a line, one more for each baseline, and one for the state that is not shown first.
void print_head(std::ostream& out);
void print_row(std::ostream& out, const result& r);
/// The columns of the MRPC paper's table 3, measured and as published, for the rows that have them.
void print_anatomy(std::ostream& out, const std::vector<result>& all);
void print_summary(std::ostream& out, const std::vector<result>& all);

void write_json(std::ostream& out, const std::vector<result>& all);
/// The same as lines of the form that the programs of the papers have (bench/papers/README.md): each row and what it was compared
/// with.
void write_records(std::ostream& out, const std::vector<result>& all);
/// Bars of what was reached against the target, which is the line at 1.
void write_svg(std::ostream& out, const std::vector<result>& all);

}  // namespace bench
