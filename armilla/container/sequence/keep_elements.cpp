// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/sequence/keep_elements.hpp"

#include <algorithm>
#include <cstring>

namespace armilla::detail {

std::vector<index_range> gone_ranges(const sequence_shape& shape, std::span<const kept_part> parts) {
  const placement& was = shape.places;
  std::vector<index_range> gone = shape.gone;
  for (rank_t m = 0; m < was.members(); ++m) {
    if (!parts[std::size_t(m)].gone()) continue;
    for (std::size_t i = was.next_on(m, 0); i < was.size();) {
      const std::size_t end = was.run_at(i).end;
      gone.push_back({i, end});
      i = was.next_on(m, end);
    }
  }
  std::ranges::sort(gone, {}, &index_range::begin);
  std::vector<index_range> merged;
  for (const index_range& each : gone)
    if (!merged.empty() && each.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, each.end);
    else
      merged.push_back(each);
  return merged;
}

void fill_from_parts(const placement& was, std::span<const kept_part> parts, const container_state& to, std::size_t bytes) {
  std::byte* const mine = global_ptr<std::byte>(to.blocks.at(to.me)).local();
  std::size_t place = 0;  // elements of this member lie in the order of their indices
  for (std::size_t i = to.where.next_on(to.me, 0); i < to.where.size();) {
    const std::size_t end = std::min(to.where.run_at(i).end, was.run_at(i).end);
    const auto [member, there] = was.locate(i);
    if (const std::byte* const part = parts[std::size_t(member)].data(); part != nullptr)
      std::memcpy(mine + place * bytes, part + there * bytes, (end - i) * bytes);
    place += end - i;
    i = to.where.next_on(to.me, end);
  }
}

}  // namespace armilla::detail
