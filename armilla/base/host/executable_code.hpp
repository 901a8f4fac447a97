// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// The code of the executable. Every process of a program has it at the same distance from where its image was loaded.
struct executable_code {
  std::uintptr_t base;  ///< where the image was loaded
  std::uintptr_t first;
  std::size_t bytes;

  bool holds(std::uintptr_t address) const noexcept { return address - first < bytes; }
};

/// Known before `main`, and fixed.
extern const executable_code executable;

}  // namespace armilla::detail
