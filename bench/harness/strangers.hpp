// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <vector>

namespace bench {

/// What a stranger does: it spins; or it takes memory, touches it, and starts and ends processes that do so, as a compiler does.
enum class stranger_kind { spins, compiles };

/// Processes that use the cores for nothing, as long as this exists: of the coordinator's session and priority.
class strangers {
 public:
  explicit strangers(int count, stranger_kind kind = stranger_kind::spins);
  ~strangers();
  strangers(const strangers&) = delete;

 private:
  std::vector<pid_t> children_;
};

}  // namespace bench
