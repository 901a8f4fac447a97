// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/images.hpp"

#include <string_view>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// Which member of `old` takes a part to those that are left.
rank_t reader_of(const team& old, rank_t owner, const team& t) {
  for (rank_t k = 0; k < old.size(); ++k)
    if (const rank_t m = (owner + k) % old.size(); t.rank_of(old.world_rank(m)) >= 0) return m;
  return owner;
}

}  // namespace

void fence_after_loss(const team& t) try { t.fence(); } catch (const remote_error& e) {
  if (std::string_view(e.type_name()) != "armilla::rank_lost") throw;
}

std::vector<rank_t> gone_parts(const team& old, const found_checkpoint& found) {
  std::vector<rank_t> gone = static_cast<const image_shape*>(found.shape.get())->gone;
  for (rank_t m = 0; m < old.size(); ++m)
    if (found.parts[std::size_t(m)].gone() && found.bytes[std::size_t(m)] != 0) gone.push_back(old.world_rank(m));
  return gone;
}

std::vector<packed_records> packed_in(const found_checkpoint& found, const team& old, const team& t) {
  std::vector<packed_records> mine;
  for (rank_t m = 0; m < old.size(); ++m) {
    const kept_part& part = found.parts[std::size_t(m)];
    const std::uint64_t bytes = found.bytes[std::size_t(m)];
    if (part.gone() || bytes == 0 || reader_of(old, m, t) != old.rank()) continue;
    mine.push_back({m, part.data(), bytes});
  }
  return mine;
}

}  // namespace armilla::detail
