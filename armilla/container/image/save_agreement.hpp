// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "armilla/team.hpp"

namespace armilla::detail {

/// Collective: if something is wrong on a member, all throw the same usage_error: "cannot save 'path' on rank r: ...".
void agree_on_file(const team& members, const char* operation, const char* verb, const std::string& path,
                   const std::string& wrong);

/// usage_error if containers of one file are over different teams, or one was moved from.
void require_team_of_file(const char* operation, std::span<const team* const> teams);

}  // namespace armilla::detail
