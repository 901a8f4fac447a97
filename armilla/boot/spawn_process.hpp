// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "armilla/boot/job_block.hpp"

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

/// How one process shall be started.
struct spawn_plan {
  const program_spec* program = nullptr;
  rank_t rank = 0;                ///< its (first) rank
  rank_record* record = nullptr;  ///< of that rank: processors to bind to; receives the error of a failed start
  int memory = -1;                ///< descriptor of the host's memory
  int line = -1;                  ///< instead: descriptor of its line to us, see agent_line
  std::string line_text;          ///< and what the rank is told of it
  int output = -1, errors = -1;   ///< become its stdout and stderr; -1: as ours
  bool keep_input = false;        ///< our stdin, not /dev/null
  bool bind = true;               ///< the whole process to the record's processors
  sigset_t mask{};                ///< signals that it blocks
};

/// Starts it and returns its process, or -1 with errno. From its first instruction on it dies with the calling thread, also
/// if that is killed meanwhile. A program that cannot be executed leaves its errno in the record and ends with 127.
pid_t spawn(const spawn_plan& plan);

}  // namespace armilla::detail
