// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/keyed/keep_keys.hpp"

#include <algorithm>
#include <string_view>

#include "armilla/error.hpp"
#include "armilla/fence.hpp"

namespace armilla::detail {

void fence_behind_loss(const team& t) try { t.fence(); } catch (const remote_error& e) {
  if (std::string_view(e.type_name()) != "armilla::rank_lost") throw;
}

std::vector<rank_t> gone_parts(const team& old, const found_checkpoint& found) {
  std::vector<rank_t> gone = static_cast<const keys_shape*>(found.shape.get())->gone;
  for (rank_t m = 0; m < old.size(); ++m)
    if (found.parts[std::size_t(m)].gone() && found.bytes[std::size_t(m)] != 0) gone.push_back(old.world_rank(m));
  return gone;
}

rank_t reader_of(const team& old, rank_t owner, const team& t) {
  for (rank_t k = 0; k < old.size(); ++k)
    if (const rank_t m = (owner + k) % old.size(); t.rank_of(old.world_rank(m)) >= 0) return m;
  return owner;
}

}  // namespace armilla::detail
