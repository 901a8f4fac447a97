// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "backends/ucx/transports.hpp"

namespace armilla::detail {

/// Heads what other ranks need to reach one; UCX's address of its worker follows.
struct ucx_address_head {
  std::uint64_t length;  ///< of UCX's address
  /// Random, made by the rank that has this address. It goes to the ranks of the job alone, by what started them, and each
  /// frame and each transfer to that rank bears it: UCX takes in whatever is sent to its port.
  std::uint64_t key;
  host_mark host;
};

/// The tag of a transfer to the rank that has this key: for each source and id another one, and none that can be guessed.
constexpr std::uint64_t ucx_tag(std::uint64_t key, std::uint32_t source, std::uint32_t id) noexcept {
  // Each step can be undone, so that no two transfers have the same tag.
  std::uint64_t tag = (std::uint64_t{source} << 32 | id) ^ key;
  tag = (tag ^ tag >> 32) * 0xd6e8feb86659fd93u;
  tag = (tag ^ tag >> 32) * 0xd6e8feb86659fd93u;
  return (tag ^ tag >> 32) + key;
}

}  // namespace armilla::detail
