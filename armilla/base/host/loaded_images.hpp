// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <cstdint>
#include <vector>

namespace armilla::detail {

/// A program or library as it was loaded when the process started.
struct loaded_image {
  struct range {
    std::uintptr_t first = 0, last = 0;
    bool holds(std::uintptr_t address) const noexcept { return address >= first && address < last; }
  };
  std::uintptr_t base = 0;
  range code;       ///< what can be executed
  range variables;  ///< what can be written
};

/// The executable first: in the same order in every process of a program. Libraries that are loaded later come behind them and
/// are not known to others.
const std::vector<loaded_image>& images_at_start();

}  // namespace armilla::detail
