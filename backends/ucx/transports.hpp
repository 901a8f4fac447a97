// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace armilla::detail {

/// What the settings and the environment let UCX use.
struct ucx_transports {
  std::string tls;            ///< for UCX_TLS; empty: as the environment says
  std::string devices;        ///< for UCX_NET_DEVICES; empty: as the environment says
  bool shared_memory = true;  ///< whether ranks of one host may use shared memory
  bool posix = true;          ///< of these two kinds
  bool sysv = true;
  bool guessed = false;  ///< the devices are what this host seems to have: no warning if UCX cannot use one of them

  /// "tcp", "tcp,eth0", "mlx5_0:1,rc": devices are what this host has as such, all else are transports.
  static ucx_transports of(const char* interfaces);
  /// Where neither these nor the environment name transports or devices, only what this interface needs is used: see
  /// `network_settings::listens_on`.
  void keep_to(const char* interface);
  /// For people: "tcp, eth0"; "as UCX likes".
  std::string text() const;
};

/// Equal for two ranks if UCX may connect them by shared memory: same machine, same namespaces.
using host_mark = std::array<std::uint64_t, 4>;
host_mark this_host();

}  // namespace armilla::detail
