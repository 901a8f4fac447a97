// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include <rdma/fabric.h>

#include "armilla/plugin.hpp"

namespace armilla::ofi {

struct info_deleter {
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using info_owner = std::unique_ptr<fi_info, info_deleter>;

/// The oldest interface of libfabric that has all that is used here.
constexpr std::uint32_t api_version = FI_VERSION(1, 15);

/// Of what libfabric offers, the first that the settings allow; null, and `why`: there is none.
///
/// `settings.interfaces` names providers ("tcp", "shm", "cxi") and domains ("eth0", "lo", "mlx5_0"). Where it names none, an
/// offer that goes by a network interface of this host must take the one of `settings.listens_on`, unless the provider's own
/// variable (FI_TCP_IFACE) says which. `why` says what there is.
info_owner choose_offer(const detail::network_settings& settings, std::string& why);

/// "tcp;ofi_rxm on eth0".
std::string text_of(const fi_info& offer);
/// "libfabric 1.17"
std::string version_text();

}  // namespace armilla::ofi
