// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/remote_part.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/error.hpp"

namespace armilla::detail {

remote_part packed(const exposed_part& part) {
  const auto all = [](const auto& numbers) { return std::vector<std::uint64_t>(numbers.begin(), numbers.end()); };
  return {part.rank,        part.name,          part.type,
          part.type_hash,   part.element_bytes, all(part.shape),
          all(part.extent), all(part.origin),   {part.stride.begin(), part.stride.end()},
          part.block,       part.turn};
}

exposed_part unpacked(const remote_part& from) {
  const std::size_t dimensions = from.shape.size();
  if (dimensions == 0 || from.extent.size() != dimensions || from.origin.size() != dimensions ||
      from.stride.size() != dimensions || from.block == 0 || std::ranges::any_of(from.stride, [](auto n) { return n < 1; }))
    throw_decode(from.rank, "exposed",
                 fmt::format("'{}' has {} dimensions, and not all that belongs to them", from.name, dimensions));
  exposed_part part;
  part.rank = from.rank;
  part.name = from.name;
  part.type = from.type;
  part.type_hash = from.type_hash;
  part.element_bytes = from.element_bytes;
  part.shape.assign(from.shape.begin(), from.shape.end());
  part.extent.assign(from.extent.begin(), from.extent.end());
  part.origin.assign(from.origin.begin(), from.origin.end());
  part.stride.assign(from.stride.begin(), from.stride.end());
  part.block = from.block;
  part.turn = from.turn;
  return part;
}

}  // namespace armilla::detail
