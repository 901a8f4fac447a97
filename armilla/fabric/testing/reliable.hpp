// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "armilla/fabric/network.hpp"

namespace armilla::detail {

/// A network over one that loses frames, doubles them and brings them out of order: frames are numbered, acknowledged, kept until
/// then and sent again after some milliseconds; what is damaged counts as lost. Above it all is as `network` promises. Bulk goes
/// by as it is.
///
/// For tests: every frame is copied at both ends. A thread looks when the rank does not, because a rank whose last frame was lost
/// may be elsewhere, and not look any more; so `net` must let any thread use it, or `usage_error`.
std::unique_ptr<network> make_reliable(std::unique_ptr<network> net, rank_t me, rank_t ranks);

}  // namespace armilla::detail
