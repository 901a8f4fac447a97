// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// How a fiber waits that could take in messages itself, for no other can go on: in place, so that its answer costs no switch, or
/// by switching to the loop at once. Paper: MRPC, section 5 (0-Word Simple against 0-Word).
enum class wait_mode { in_place, switching };

}  // namespace armilla
