// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "armilla/fabric/network.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

/// A network between ranks of one host, over rings in the memory that they share: ARMILLA_FABRIC=loop. Everything that takes the
/// way over a network can be run and tested with it, without any network.
///
/// Frames go through lane 0, bulk in pieces through lane 1; both are free, for what goes over a network uses neither.
std::unique_ptr<network> make_loop_network(std::byte* host, const host_layout& layout, rank_t me, rank_t ranks);

}  // namespace armilla::detail
