// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// How much a poll may still do for other ranks.
struct poll_limit {
  std::uint64_t bodies = ~std::uint64_t{0};  ///< that may begin
  std::uint64_t deadline_ns = 0;             ///< behind which none begins; 0: none
  rank_t from = 0;                           ///< bodies of lower ranks have had their turn
  bool owes_one = false;                     ///< a body, however late it is: what waits for the poll would not go on

  bool spent() const noexcept;
};

/// How much a poll may do that the program does not ask for itself. 0: no limit.
struct unasked_limit {
  std::uint64_t bodies = 0;
  std::uint64_t ns = 0;

  bool any() const noexcept { return bodies != 0 || ns != 0; }
  poll_limit from_now() const noexcept;
};

/// The limits of an inbox.
struct poll_limits {
  poll_limit* now = nullptr;  ///< of the poll that is under way
  rank_t turn = 0;            ///< the next limited poll begins with bodies of this rank
  unasked_limit unasked;

  bool spent() const noexcept { return now != nullptr && now->spent(); }
  /// Whether bodies of `source` may not begin.
  bool bar(rank_t source) const noexcept { return now != nullptr && (source < now->from || now->spent()); }
  /// Counts a body of `source` that is about to begin; false: it may not.
  bool take_body(rank_t source) noexcept;
};

}  // namespace armilla::detail
