// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/limits.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

/// Which ranks of the job have places in this host's memory. Written before any rank joins. All zeros but the count: the first
/// `count` ranks of the job.
struct local_ranks {
  std::uint32_t count;
  rank_t first;                    ///< the lowest of them
  std::uint32_t scattered;         ///< not 0: they are no neighbours, and `ranks` says which they are
  rank_t ranks[most_local_ranks];  ///< in ascending order

  /// Those of this host: `n` ranks, in ascending order.
  void take(const rank_t* here, std::size_t n) noexcept;

  bool holds(rank_t r) const noexcept { return number(r) < count; }
  /// Of a rank that it holds.
  local_rank of(rank_t r) const noexcept { return local_rank{number(r)}; }
  rank_t at(local_rank l) const noexcept { return scattered == 0 ? first + rank_t(l) : ranks[std::uint32_t(l)]; }
  template <class Use>
  void each(Use&& use) const {
    for (std::uint32_t i = 0; i < count; ++i) use(at(local_rank{i}));
  }

 private:
  // `count` or more: it is not here.
  std::uint32_t number(rank_t r) const noexcept { return scattered == 0 ? std::uint32_t(r) - std::uint32_t(first) : search(r); }
  [[gnu::cold, gnu::visibility("default")]] std::uint32_t search(rank_t r) const noexcept;
};

}  // namespace armilla::detail
