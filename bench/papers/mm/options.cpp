// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/mm/options.hpp"

#include <fmt/format.h>

namespace papers {

void mm_options::add_to(command_line& line) {
  line.number("--block", sides, "rows and columns of a block, one or more", 1, 4096);
  line.number("--blocks", blocks, "blocks in a row and in a column of a matrix", 1, 64);
  line.number("--times", times, "products a sample; 0: as many as take a moment", 0, 1'000'000);
}

int mm_options::check(const command_line& line) const {
  for (const int side : sides) {  // three matrices, and for dgemm alone a copy of them on every rank
    const double n = double(side) * blocks;
    if (const int code = line.refuse_memory(fmt::format("--block {} --blocks {}", side, blocks), 4 * 3 * n * n * sizeof(double));
        code != 0)
      return code;
  }
  return 0;
}

}  // namespace papers
