// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "armilla/boot/host/job_block.hpp"
#include "armilla/boot/host/program_spec.hpp"

namespace armilla::detail {

/// How one process shall be started.
struct spawn_plan {
  const program_spec* program = nullptr;
  rank_t rank = 0;                ///< its (first) rank
  rank_record* record = nullptr;  ///< of that rank: processors to bind to; receives the error of a failed start
  int memory = -1;                ///< descriptor of the host's memory
  int line = -1;                  ///< descriptor of its line to us, see agent_line
  std::string line_text;          ///< what the rank is told instead, if it has one: of both
  int output = -1, errors = -1;   ///< become its stdout and stderr; -1: as ours
  bool keep_input = false;        ///< our stdin, not /dev/null
  bool bind = true;               ///< the whole process to the record's processors
  sigset_t mask{};                ///< signals that it blocks
};

/// Starts it and returns its process, or -1 with errno. From its first instruction on it dies with the calling thread, also
/// if that is killed meanwhile. A program that cannot be executed leaves its errno in the record and ends with 127.
pid_t spawn(const spawn_plan& plan);

}  // namespace armilla::detail
