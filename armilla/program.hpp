// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla {

/// Returns the number of the program (executable image) that this rank runs, from 0 to `program_count() - 1`, in the order in
/// which the job names them.
std::uint32_t this_program();

/// Returns what carries the messages of this job: "shm", "threads", "loop", the network of a backend such as "ucx", or "shm+ucx"
/// if ranks of a host share memory and UCX connects hosts. The same on every rank. `usage_error` outside of a session.
std::string fabric();

/// Returns how many programs the job has.
std::uint32_t program_count();

/// Returns the name by which program `i` was started. Valid until the job ends. Throws `usage_error` if there is no such program.
std::string_view program_name(std::uint32_t i);

/// Returns the ranks that run program `i`, ascending. Valid until the job ends. Throws `usage_error` if there is no such program.
std::span<const rank_t> program_ranks(std::uint32_t i);

}  // namespace armilla
