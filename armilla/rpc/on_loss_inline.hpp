// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// A function of the program, whose type is forgotten.
struct loss_handler {
  void* f;
  void (*run)(void* f, rank_t lost);
  void (*end)(void* f) noexcept;
};
void add_loss_handler(const loss_handler& handler);

}  // namespace armilla::detail
