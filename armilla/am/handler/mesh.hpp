// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// The hosts of a job in rows and columns, nearly a square, and the way of a routed message over them: along the row of its
/// sender to the column of its receiver, along that column to the receiver's host, and inside the host to its rank. A rank sends
/// to the rank with its own number within the other host, modulo that host's ranks. A way has one to three steps.
///
/// Where the last row is short, a message from there turns in a row above.
///
/// So a rank sends to others of its row, of its column, and of its host: with N hosts to at most 2 N^(1/2) of other hosts.
///
/// Paper: STAPL, section 6.3, aggregates for each destination; that messages share ways over a mesh of ranks is known from YGM
/// and from Charm++'s streaming over meshes.
class mesh {
 public:
  /// `host_of`: by rank, hosts are numbered from 0.
  mesh(rank_t me, const std::uint32_t* host_of, rank_t ranks);

  /// To which rank this rank gives what is for `to`: that rank itself, if it is in this host, or next on the way.
  rank_t next_to(rank_t to) const noexcept;

 private:
  std::uint32_t row(std::uint32_t host) const noexcept { return host / columns_; }
  std::uint32_t column(std::uint32_t host) const noexcept { return host % columns_; }
  rank_t at(std::uint32_t host) const noexcept;

  const std::uint32_t* host_of_;
  std::uint32_t hosts_ = 0, columns_ = 1;
  std::uint32_t host_ = 0, place_ = 0;  // of this rank
  std::uint32_t ranks_a_host_ = 0;      // they are numbered host by host, and each has so many; 0: see below
  std::vector<std::uint32_t> first_;    // by host: where its ranks begin in `sorted_`
  std::vector<rank_t> sorted_;          // all ranks by host
};

}  // namespace armilla::detail
