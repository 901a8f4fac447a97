// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/am/endpoint/sending.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/fabric/host_map.hpp"

/// How the ranks of other hosts see what a rank writes into its collective area.
///
/// Every host has a place for the area of every rank of the job. A rank writes into its own, and where a reader is on another
/// host it sends the bytes, too; there they are written into the same place of that host's memory. So all that the collectives
/// know of hosts is this: a member that posts something says to which members.
///
/// What is for all members of a team goes to one member of each other host, which writes it for all that share its memory:
/// one message a host, not a rank. These messages are no one-way calls, and a fence does not count them.
namespace armilla::detail {

/// Sends `bytes` bytes at `at`, in this rank's collective area, to the host of `to`, which is far. A multiple of 8. If they begin
/// with a step, that is written last, and never goes back.
[[gnu::cold]] void replicate(context& c, rank_t to, const void* at, std::size_t bytes);

/// What `replicate` adds to the bytes.
inline constexpr std::size_t replicate_head_bytes = sizeof(std::uint64_t);

/// Of `ranks` those that share this rank's memory, without itself.
std::vector<rank_t> near_ranks_of(const context& c, const std::vector<rank_t>& ranks);

/// Rank `to` may wait for what lies at `at`.
inline void post_to(context& c, rank_t to, const void* at, std::size_t bytes) {
  if (c.host->far[std::size_t(to)]) [[unlikely]]
    replicate(c, to, at, bytes);
  else
    c.out->notify(to);
}

}  // namespace armilla::detail
