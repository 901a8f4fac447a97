// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/base/core/context.hpp"

namespace armilla::detail {

struct team_record;

/// A flag for which this rank waits in a collective, and the rank that writes it.
struct awaited_flag {
  const team_record& team;
  const void* flag;
  rank_t owner;
};

/// "barrier 3 of team 7: rank 2 has not come". For `wait_object::of`.
std::string explain_flag(const context& self, const char* operation, const awaited_flag& waits);

}  // namespace armilla::detail
