// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/array.hpp"

#include <algorithm>

namespace armilla::detail {

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
