// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <vector>

namespace armilla::detail {

/// Processes that ranks started and left behind: while this lives they become children of this process, and can be ended.
class orphanage {
 public:
  orphanage();
  /// Ends them all. Not the children that this process had before.
  void end_all() const;

 private:
  std::vector<pid_t> older_;
};

}  // namespace armilla::detail
