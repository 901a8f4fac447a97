// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/mm/options.hpp"

#include <fmt/format.h>

namespace papers {

void mm_options::add_to(command_line& line) {
  line.add_option("--block", sides, "rows and columns of a block, one or more")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  line.add_option("--blocks", blocks, "blocks in a row and in a column of a matrix")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  line.add_option("--times", times, "products a sample; 0: as many as take a moment")
      ->check(CLI::Range(0L, 1'000'000L))
      ->capture_default_str();
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
