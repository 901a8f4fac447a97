// SPDX-License-Identifier: Apache-2.0
#include "armilla/matrix_views.hpp"

#include <fmt/format.h>

namespace armilla::detail {

void throw_bad_block(std::size_t dimension, std::size_t first, std::size_t last, std::size_t extent) {
  throw_usage("views::block", fmt::format("cells [{}, {}) in dimension {}, which has {}; give first <= last <= extent", first,
                                          last, dimension, extent));
}

void throw_cut_lines(const char* view, std::size_t dimension, rank_t blocks) {
  throw_usage(view,
              fmt::format("dimension {} is cut into {} blocks, so no rank has whole ones; make the matrix with a grid of one "
                          "block in that dimension, or take views::row and views::column, which may cross blocks",
                          dimension, blocks));
}

void throw_bad_tiles(std::size_t dimension) {
  throw_usage("views::tiles", fmt::format("tiles of 0 cells in dimension {}; give 1 or more", dimension));
}

}  // namespace armilla::detail
