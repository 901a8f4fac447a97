// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/exposed.hpp"
#include "armilla/guest/circuit.hpp"

namespace armilla::detail {

/// A part as it goes to guests of another host.
far_part packed(const exposed_part& part);
/// Throws decode_error if its dimensions contradict each other.
exposed_part unpacked(const far_part& part);

}  // namespace armilla::detail
