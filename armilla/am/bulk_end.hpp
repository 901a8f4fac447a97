// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

struct context;

/// What is to be done when a network has moved some memory.
struct bulk_end {
  void (*run)(context& self, std::uint64_t first, std::uint64_t second);
  std::uint64_t first, second;  ///< whatever `run` needs
};

}  // namespace armilla::detail
