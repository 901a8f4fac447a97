// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/orphans.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>

namespace armilla::detail {
namespace {

// The kernel gives orphans to the first thread of the process.
std::vector<pid_t> children() {
  const std::string self = std::to_string(getpid());
  std::ifstream list("/proc/" + self + "/task/" + self + "/children");
  std::vector<pid_t> all;
  for (pid_t child; list >> child;) all.push_back(child);
  return all;
}

}  // namespace

orphanage::orphanage() : older_(children()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void orphanage::end_all() const {
  for (int round = 0; round < 1000; ++round) {  // the end of one makes orphans of its children
    auto left = children();
    std::erase_if(left, [this](pid_t child) { return std::ranges::find(older_, child) != older_.end(); });
    if (left.empty()) return;
    for (pid_t child : left) kill(child, SIGKILL);
    for (pid_t child : left) waitpid(child, nullptr, 0);
  }
}

}  // namespace armilla::detail
