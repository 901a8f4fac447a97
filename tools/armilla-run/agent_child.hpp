// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string>

#include "armilla/boot/children/spawn_process.hpp"
#include "armilla/boot/host/job_block.hpp"

namespace armilla::run {

/// One rank of an agent's host.
struct agent_child {
  rank_t rank = 0;
  pid_t pid = -1;
  int line = -1;
  bool alive = false, spoke = false, finished = false, failed = false;
  detail::rank_record record{};
  detail::program_spec program;
  std::string incoming;
  bool waits = false;  ///< has given its part of an exchange
  std::string part;
};

}  // namespace armilla::run
