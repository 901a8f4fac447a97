// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla {

/// Number of the program (executable image) that this rank runs, 0 .. program_count()-1, in the order in which the job names
/// them.
std::uint32_t this_program();

/// What carries the messages of this job, as it was chosen: "shm", "threads", "loop", what carries in a backend, as
/// "ucx", or "shm+ucx" where ranks of a host share memory and UCX goes between hosts. The same on every rank. Errors: usage_error
/// outside a session.
std::string fabric();

/// How many programs the job holds.
std::uint32_t program_count();

/// The name by which program `i` was started. Throws `usage_error` if there is none. Valid until the job ends.
std::string_view program_name(std::uint32_t i);

/// The ranks that run program `i`, ascending. Throws `usage_error` if there is none. Valid until the job ends.
std::span<const rank_t> program_ranks(std::uint32_t i);

}  // namespace armilla
