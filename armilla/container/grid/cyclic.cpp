// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/container/grid/cyclic_inline.hpp"
#include "armilla/error.hpp"
#include "armilla/object/made_object.hpp"

namespace armilla::detail {

void throw_unlike_extents(const void* matrix, const std::array<std::size_t, 2>& from, const std::array<std::size_t, 2>& to) {
  throw_usage("take",
              about(matrix) +
                  fmt::format("a matrix of {} by {} cells cannot take the cells of one of {} by {}; give both the same extents",
                              to[0], to[1], from[0], from[1]));
}

cyclic_shape cyclic_over(const cyclic_shape::point& extents, const cyclic_shape::point& tile, rank_t members,
                         const std::vector<rank_t>& given) {
  const grid_shape<2> blocks(extents, members, given);
  cyclic_shape shape;
  for (std::size_t d = 0; d < 2; ++d) {
    if (tile[d] == 0) throw_usage("cyclic_matrix", fmt::format("a tile has no cells in dimension {}; give at least one", d));
    shape.in[d] = {extents[d], tile[d], blocks.blocks(d)};
  }
  return shape;
}

}  // namespace armilla::detail
