// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"

namespace armilla::detail {
struct options;
}

namespace armilla::run {

struct host_slots {
  std::string name;
  int slots = 1;
};

/// A job on several hosts: starts an agent on each by `rsh` (a command, which is given the host's name and what to run there),
/// lets the agents start the ranks and carries what these tell each other before they have a network. The first failure ends all
/// of it, with one message. Returns what the process shall exit with.
int run_on_hosts(const std::vector<host_slots>& hosts, const std::string& rsh, const std::vector<detail::program_spec>& programs,
                 const detail::options& settings);

}  // namespace armilla::run
