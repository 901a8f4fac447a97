// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/is_run.hpp"

namespace npb {

is_options::is_options(const std::string& version)
    : command_line("is",
                   "IS of the NAS parallel benchmarks: ranks of integer keys, ten times. Mop/s: operations by microseconds.",
                   {version}) {
  add_option("--class", classes_, "S, W, A or B, one or more")->check(CLI::IsMember({"S", "W", "A", "B"}))->capture_default_str();
}

}  // namespace npb
