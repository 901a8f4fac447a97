// SPDX-License-Identifier: Apache-2.0
#include "armilla/plugin.hpp"

#include "backends/unix/unix_network.hpp"

namespace {

using armilla::detail::plugin;

constexpr plugin description = {
    .version = plugin::good_version,
    .name = "unix-domain sockets",
    .engine = nullptr,
    .trusts_callers = false,  // a caller must be of this user and know the rank's key
    .join = nullptr,
    .open = armilla::unix_sockets::unix_network::open,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const plugin* armilla_plugin() { return &description; }
