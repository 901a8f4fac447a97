// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// What the supervisor starts once for each rank, or once for all of them where they are threads.
struct program_spec {
  std::string path;                      ///< the executable file
  std::vector<std::string> arguments;    ///< with the name it is called by
  std::vector<std::string> environment;  ///< "NAME=value", added to the supervisor's own
  rank_t ranks = 1;
  std::string folder = {};  ///< where it starts; empty: where the supervisor is
};

/// This program, as it was called: for `run` in the first process.
program_spec this_program(int argc, char** argv);

}  // namespace armilla::detail
