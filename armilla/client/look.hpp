// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/attach.hpp"
#include "armilla/boot/visitors/job_search.hpp"

namespace armilla::detail {

/// What a rank shows now.
rank_look look_at(const job_memory& memory, rank_t r);
/// "is stopped by a signal": what the rank does, behind its name in an error.
std::string what_it_does(const rank_look& rank);

}  // namespace armilla::detail
