// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/team/team.hpp"

namespace armilla::detail {

/// Collective: if something is wrong on a member, all throw the same usage_error: "cannot save 'path' on rank r: ...".
void agree_on_file(const team& members, const char* operation, const std::string& path, const std::string& wrong);
/// What errno says, and what to do.
std::string text_of_errno(int error);

}  // namespace armilla::detail
