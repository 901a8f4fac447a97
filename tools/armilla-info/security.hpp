// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla::info {

/// Prints which ports jobs open on this machine, which this job has opened, and from where they can be reached. On rank 0; asks
/// the others.
void print_security();

}  // namespace armilla::info
