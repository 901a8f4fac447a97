// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla::detail {

/// Before members of a team of several meet: a usage_error if the running fiber is in a function that an algorithm calls
/// (`in_functions`), where not all of them come at once.
void refuse_in_functions();

}  // namespace armilla::detail
