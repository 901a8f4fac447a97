// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"

namespace armilla::detail {
struct options;
}

/// Jobs whose hosts come by themselves: the same command is started on each of them, by whatever starts things there, and they
/// meet at an address of one of them.
namespace armilla::run {

/// What the command line says of it.
struct meeting_plan {
  std::string place;     ///< HOST:PORT
  int hosts = 0;         ///< that are expected, with this one
  std::string key_file;  ///< "-": standard input
  int within_s = 300;    ///< for all to come
};

/// The ranks of `programs` are those of this host. The host that has the address of the plan's place becomes the first one, and
/// its command the root of the job; on the others the command is their agent. Returns the exit code of the job on each. Throws
/// `usage_error` where the place or the key cannot be used.
int run_with_meeting(const meeting_plan& plan, const std::vector<detail::program_spec>& programs,
                     const detail::options& settings);

}  // namespace armilla::run
