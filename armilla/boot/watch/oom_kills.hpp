// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace armilla::detail {

/// Counts the processes of this process's control group that the kernel has killed because the group ran out of memory. A process
/// that is killed so ends by signal 9, and nothing in its exit status says why.
class oom_kills {
 public:
  oom_kills();
  /// How many since this object was made; 0 where the system does not say.
  std::uint64_t since_start() const;

 private:
  std::string file_;
  std::uint64_t before_ = 0;
};

/// The file that counts them, of a process with this /proc/self/cgroup; empty: none.
std::string oom_file_of(std::string_view cgroups);
/// The number in a line "oom_kill N"; 0: there is none.
std::uint64_t oom_kills_in(std::string_view text);

}  // namespace armilla::detail
