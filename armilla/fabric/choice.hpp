// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

/// What carries messages between ranks that share no memory.
struct chosen_network {
  std::unique_ptr<std::byte[]> addresses;  ///< of all ranks; the network points to them
  std::unique_ptr<network> carries;        ///< null: none is needed
};

/// Of a rank that comes into the running job: lets the others see how the network reaches it, in the memory of their host.
void show_address(const launch& self);

/// Decides as ARMILLA_FABRIC says, opens the network on all ranks, which decide alike, and tells `self`: what carries, what is
/// far, and why, for people. `joined_by`: the backend that `self.started` is from, or nothing. Throws `usage_error` or
/// `limit_error` with what was tried.
chosen_network choose_network(launch& self, std::string_view joined_by);

}  // namespace armilla::detail
