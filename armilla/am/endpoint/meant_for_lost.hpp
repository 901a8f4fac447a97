// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/error.hpp"

namespace armilla::detail {

/// A call was sent to a rank that is lost, and has reached the new rank in its place. The caller of a two-way call gets
/// rank_lost; a one-way call is dropped.
struct meant_for_lost : rank_lost {
  meant_for_lost(rank_t here, const char* operation);
};

}  // namespace armilla::detail
