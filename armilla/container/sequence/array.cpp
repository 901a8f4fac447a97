// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "armilla/vector.hpp"

namespace armilla::detail {

void throw_cannot_grow(const void* inside, bool dealt_in_turn) {
  throw_usage_of(inside, "vector",
                 dealt_in_turn
                     ? "its elements are dealt in turn, so that none can follow a rank's own; redistribute(blocks()) first"
                     : "it was made without ranks, or moved from, or has fewer elements here; make it with a size, "
                       "which may be 0");
}

void copy_elements(const container_state& from, const container_state& to, std::size_t bytes) {
  const std::size_t n = std::min(from.where.size(), to.where.size());
  for (std::size_t i = to.where.next_on(to.me, 0); i < n;) {
    const std::size_t end = std::min({n, to.where.run_at(i).end, from.where.run_at(i).end});
    std::byte* const into = global_ptr<std::byte>(to.address(i, bytes)).local();
    read_far(into, from.address(i, bytes), {"container", (end - i) * bytes, 1, may_read});
    i = to.where.next_on(to.me, end);
  }
}

}  // namespace armilla::detail
