// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace armilla::run {

/// A process that an agent starts for an attached client of another host: it does here what that attached client asks, as an
/// attached client of this host. `words`: this host's name, an open socket, the other end of which leads to the attached client,
/// and the open memories of its ranks.
int serve_client(const std::vector<std::string>& words);

}  // namespace armilla::run
