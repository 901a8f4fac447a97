// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "armilla/am/bulk_end.hpp"
#include "armilla/am/handler.hpp"
#include "armilla/fabric/far_side.hpp"

namespace armilla::detail {

/// What an endpoint keeps of its traffic over the network.
struct far_traffic {
  far_traffic(network& carrier, rank_t me, rank_t ranks, std::uint64_t window) : side(carrier, me, ranks, window) {}

  struct outgoing {
    rank_t to;
    std::uint32_t id;
    std::uint64_t offset;  ///< of the block in this rank's segment
    std::size_t bytes;
    std::uintptr_t transfer = 0;  ///< 0: the block is not filled yet
  };
  struct coming {
    rank_t source;
    std::uint64_t offset;  ///< of its block in this rank's segment
    std::size_t size;
    std::uint64_t handler;
    std::uintptr_t transfer;
    bool apart;  ///< the network brings a part, and nothing tells that it has: whoever asks must know that the source lives
  };

  struct waiting_aside {
    rank_t to;
    std::vector<std::byte> frame;
  };

  struct transfer {
    std::uintptr_t number;
    bulk_end end;
  };

  bool any_bulk() const noexcept { return !sending.empty() || !receiving.empty() || !transfers.empty(); }

  far_side side;
  std::vector<transfer> transfers;  ///< of memory, for the layer above
  std::uint32_t idle_looks = 0;
  bool closing = false;             ///< peers leave in good order
  std::vector<rank_t> broken;       ///< ranks that the network has lost
  std::deque<waiting_aside> aside;  ///< that found no buffer
  std::vector<outgoing> sending;
  std::vector<coming> receiving;
};

}  // namespace armilla::detail
