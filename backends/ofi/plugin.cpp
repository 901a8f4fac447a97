// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/plugin.hpp"

#include "backends/ofi/ofi_network.hpp"

namespace armilla::ofi {
namespace {

const char* engine() {
  static const std::string name = version_text();
  return name.c_str();
}

constexpr detail::plugin description = {
    .version = detail::plugin::good_version,
    .name = "libfabric",
    .engine = engine,
    .trusts_callers = true,  // the protocols of its providers have no password
    .join = nullptr,
    .open = ofi_network::open,
};

}  // namespace
}  // namespace armilla::ofi

extern "C" __attribute__((visibility("default"))) const armilla::detail::plugin* armilla_plugin() {
  return &armilla::ofi::description;
}
