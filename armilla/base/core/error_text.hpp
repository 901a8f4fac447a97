// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// `text` as it stands in a message that names rank `here` itself: the texts of errors in it lose "armilla: ", and "rank R: " if
/// R is `here`.
std::string without_prefix(std::string_view text, rank_t here);

}  // namespace armilla::detail
