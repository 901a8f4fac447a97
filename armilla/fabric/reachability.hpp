// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

/// What a rank found out of one that it tried to reach.
struct tried_peer {
  rank_t rank = no_rank;
  bool heard = false;     ///< something came from it
  bool answered = false;  ///< it has said that it hears this rank
  std::string why = {};   ///< what the network said of a broken connection
  bool good() const noexcept { return heard && answered; }
};

/// Sends a word to each of these ranks, which call it at about the same time with this one among theirs, and waits for theirs:
/// until all have answered, a connection breaks, or `within_ns` are over. Before anything else is sent over `net`.
std::vector<tried_peer> try_peers(network& net, rank_t me, const std::vector<rank_t>& peers, std::uint64_t within_ns);

/// Where other hosts try whether TCP reaches this one: nothing is said there.
struct trial_place {
  std::uint32_t address = 0;  ///< IPv4, as on the wire; 0: there is none
  std::uint32_t port = 0;     ///< as on the wire
};

/// The port of one; closed with it.
class trial_port {
 public:
  /// At this address; without one, or where the system refuses, there is none.
  explicit trial_port(std::uint32_t address);
  trial_place place() const noexcept { return place_; }

 private:
  descriptor listener_;
  trial_place place_;
};

/// Whether each of these places takes a connection within that time. One that is none counts as good: nothing is known of it.
std::vector<bool> try_places(const std::vector<trial_place>& places, std::uint64_t within_ns);

}  // namespace armilla::detail
