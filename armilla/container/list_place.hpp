// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/types.hpp"

namespace armilla {

/// Where an element of a list is: a small value to copy, keep and send, on any rank. It stays right while others come and go;
/// once its element has been erased it names nothing, also when another has come in its stead.
struct list_place {
  rank_t rank = -1;  ///< of the job
  std::uint32_t slot = 0;
  std::uint32_t age = 0;
  friend bool operator==(const list_place&, const list_place&) = default;
};

}  // namespace armilla
