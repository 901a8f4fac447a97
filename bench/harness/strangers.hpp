// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <vector>

namespace bench {

/// Processes that use the cores for nothing, as long as this exists: of the coordinator's session and priority.
class strangers {
 public:
  explicit strangers(int count);
  ~strangers();
  strangers(const strangers&) = delete;

 private:
  std::vector<pid_t> children_;
};

}  // namespace bench
