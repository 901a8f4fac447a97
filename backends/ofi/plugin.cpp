// SPDX-License-Identifier: Apache-2.0
#include "armilla/plugin.hpp"

#include <string>

#include "backends/ofi/ofi_network.hpp"
#include "backends/ofi/signals.hpp"

namespace armilla::ofi {
namespace {

const char* engine() {
  static const std::string name = version_text();
  return name.c_str();
}

// The program's: this library is linked so that it is initialised before those that it needs (-z initfirst).
const signal_handlers handlers_before;

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
  static const bool once = (armilla::ofi::handlers_before.put_back(), true);
  static_cast<void>(once);
  return &armilla::ofi::description;
}
