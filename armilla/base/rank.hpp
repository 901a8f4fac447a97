// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/context.hpp"

namespace armilla {

/// The calling rank's number, 0 .. ranks()-1. One load. Throws `usage_error` outside a session and on threads that are no rank.
inline rank_t rank() { return detail::here("rank").rank; }

/// How many ranks the job has, over all its programs. One load. Throws as `rank()`.
inline rank_t ranks() { return detail::here("ranks").ranks; }

}  // namespace armilla
