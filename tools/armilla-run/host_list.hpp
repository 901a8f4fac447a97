// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts.hpp"

/// The hosts of a job, and how many ranks each takes: from the command line, a file, or Slurm.
namespace armilla::run {

/// "a:2,b:2,c". Throws std::invalid_argument if it is no such list.
std::vector<host_slots> hosts_of_list(const std::string& text);

/// A file with one host a line: `a`, `a:2`, or `a slots=2`, as launchers of MPI read it; `#` begins a comment. Each further line
/// of a host adds to its ranks. Throws std::invalid_argument that names file, line and reason.
std::vector<host_slots> hosts_of_file(const std::string& path);

/// The nodes of the Slurm allocation in which this process runs, if there are several and it is not itself a task that srun has
/// started, unless ARMILLA_LAUNCHER=none says to ignore Slurm; else nothing. Throws std::invalid_argument if Slurm's variables
/// cannot be read.
std::optional<std::vector<host_slots>> hosts_of_slurm();

/// The names in "a[1-3,07],b", as Slurm writes them.
std::vector<std::string> expand_host_names(std::string_view text);
/// The numbers in "2(x3),1": 2 2 2 1.
std::vector<int> expand_task_counts(std::string_view text);

}  // namespace armilla::run
