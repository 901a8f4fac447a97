// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/run.hpp"

namespace npb {

options::options(const std::string& program, const std::string& description, const std::string& version)
    : command_line(program, description + " Mop/s: operations by microseconds. Counts: of a sample, the mean of the ranks.",
                   {version}) {
  choice("--class", classes_, "S, W, A or B, one or more; of CG also T, one iteration of S", {"T", "S", "W", "A", "B"});
}

}  // namespace npb
