// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "armilla/boot/host/launch.hpp"

namespace armilla::detail {

/// All ranks of the job call it, in the same order and with the same `bytes`, before the layers start: `all` receives
/// ranks * bytes bytes, by rank. By what brought the ranks together; under our own supervisor through the host's memory, of which
/// it leaves nothing but zeros. Throws `limit_error` if it fails, or if an exchange is longer than a staging area.
void exchange(const launch& self, const void* mine, void* all, std::size_t bytes);

}  // namespace armilla::detail
