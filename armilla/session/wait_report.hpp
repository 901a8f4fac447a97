// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/context.hpp"

namespace armilla::detail {

/// From here on this rank says what its fibers wait for when it is asked, and a rank that is alone looks after itself. See
/// docs/guide/diagnosis.md.
void start_wait_reports(context& self);
void stop_wait_reports(context& self);

}  // namespace armilla::detail
