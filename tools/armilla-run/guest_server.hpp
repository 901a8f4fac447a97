// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace armilla::run {

/// A process that an agent starts for a guest of another host: it does here what that guest asks, as a guest of this host.
/// `words`: this host's name, an open socket, the other end of which leads to the guest, and the open memories of its ranks.
int serve_guest(const std::vector<std::string>& words);

}  // namespace armilla::run
