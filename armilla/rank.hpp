// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/context_head.hpp"

namespace armilla {

/// The calling rank's number, 0 .. ranks()-1; of one that has joined the running job (armilla-run --join) a higher one. One load.
/// Throws `usage_error` outside a session and on threads that are no rank.
inline rank_t rank() { return detail::head_here("rank").rank; }

/// How many ranks the job was started with, over all its programs: those of `world()`. It never changes. One load. Throws as
/// `rank()`.
inline rank_t ranks() { return detail::head_here("ranks").world_size; }

}  // namespace armilla
