// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/boot/host/bootstrap.hpp"

namespace conformance {

/// Makes this process the parent of `ranks` others, which go on from here; the parent ends with 0 if all of them did. Gives
/// each what brings them together, so that a network is examined without a launcher.
armilla::detail::bootstrap* fork_ranks(int ranks);

}  // namespace conformance
