// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/boot/children/child.hpp"
#include "armilla/boot/host/job_block.hpp"

namespace armilla::run {

/// One rank of an agent's host.
struct agent_child : detail::child {
  int line = -1;
  bool spoke = false, finished = false, failed = false;
  bool listens = false;  ///< it has asked to come into the running job: what it hears from here on is no exchange
  detail::rank_record record{};
  detail::program_spec program;
  std::string incoming;
  bool waits = false;  ///< has given its part of an exchange
  std::string part;
  std::size_t heard = 0;  ///< exchanges of the start, of a process that comes into the running job

  bool in_job() const noexcept { return place == state::in_job; }
};

}  // namespace armilla::run
