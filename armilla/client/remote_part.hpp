// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/client/circuit.hpp"
#include "armilla/exposed.hpp"

namespace armilla::detail {

/// A part as it goes to attached clients of another host.
remote_part packed(const exposed_part& part);
/// Throws decode_error if its dimensions contradict each other.
exposed_part unpacked(const remote_part& part);

}  // namespace armilla::detail
