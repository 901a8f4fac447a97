// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"
#include "channel.hpp"

namespace armilla::detail {
struct options;
}

namespace armilla::run {

struct host_slots {
  std::string name;
  int slots = 1;
};

/// The agent of a host that has come by itself.
struct met_agent {
  std::unique_ptr<channel> agent;
  std::string folder;  ///< where its command was started
};

/// A job on several hosts: starts an agent on each by `rsh` (a command, which is given the host's name and what to run there),
/// lets the agents start the ranks and carries what these tell each other before they have a network. The first failure ends all
/// of it, with one message. The last hosts may be
/// `met` already; then the first is this one, and needs no `rsh`. Returns what the process shall exit with.
int run_on_hosts(const std::vector<host_slots>& hosts, const std::string& rsh, const std::vector<detail::program_spec>& programs,
                 const detail::options& settings, std::vector<met_agent> met = {});

}  // namespace armilla::run
