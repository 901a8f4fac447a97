// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "backends/ucx/transports.hpp"

namespace armilla::detail {

/// A part of the rank's memory that others can map, and UCX's key for it, somewhere in the address.
struct ucx_held_part {
  std::uint64_t base;   ///< where it lies in the rank that holds it
  std::uint32_t begin;  ///< of the key, from the start of the address
  std::uint32_t bytes;  ///< of the key; 0: there is no such part
};

/// Heads what other ranks need to reach one; UCX's address of its worker follows.
struct ucx_address_head {
  static constexpr unsigned most_parts = 2;
  std::uint64_t length;  ///< of UCX's address
  ucx_held_part part[most_parts];
  /// Random, made by the rank that has this address. It goes to the ranks of the job alone, by what started them, and each
  /// frame and each transfer to that rank bears it, with the key of its sender: UCX takes in whatever is sent to its port.
  std::uint64_t key;
  host_mark host;
};

/// The tag of a transfer between the two ranks that have this key: for each source and id another one, and none that can be
/// guessed.
constexpr std::uint64_t ucx_tag(std::uint64_t key, std::uint32_t source, std::uint32_t id) noexcept {
  // Each step can be undone, so that no two transfers have the same tag.
  std::uint64_t tag = (std::uint64_t{source} << 32 | id) ^ key;
  tag = (tag ^ tag >> 32) * 0xd6e8feb86659fd93u;
  tag = (tag ^ tag >> 32) * 0xd6e8feb86659fd93u;
  return (tag ^ tag >> 32) + key;
}

}  // namespace armilla::detail
