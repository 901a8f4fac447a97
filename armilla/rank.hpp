// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/context_head.hpp"

namespace armilla {

/// Returns the calling rank's number, from 0 to `ranks() - 1`. A rank that has joined the running job (armilla-run --join) has a
/// higher one.
///
/// `usage_error` outside of a session, and on threads that are not ranks. Cost: one load.
inline rank_t rank() { return detail::head_here("rank").rank; }

/// Returns the number of ranks with which the job was started, over all its programs: those of `world()`. It never changes.
///
/// Errors and cost are those of `rank()`.
inline rank_t ranks() { return detail::head_here("ranks").world_size; }

}  // namespace armilla
