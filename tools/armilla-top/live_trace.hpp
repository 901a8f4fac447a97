// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "armilla/attach.hpp"

namespace armilla::top {

/// What the ranks of this host have traced so far, with ARMILLA_TRACE, as Chrome's trace events. Empty: they trace nothing, or
/// more than can be read at once.
std::string live_trace_of(const client& job);

/// A copy of a part that its rank goes on writing: only events that were not written over meanwhile. Empty: it is none.
std::vector<std::byte> copy_of_live_part(const std::string& file);

}  // namespace armilla::top
