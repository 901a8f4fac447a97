// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/mm/options.hpp"

#include <unistd.h>

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
  const double memory = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  for (const int side : sides) {
    const double n = double(side) * blocks, needed = 3 * n * n * sizeof(double);
    if (needed > memory / 8)
      return line.refuse(
          fmt::format("--block {} --blocks {}: three matrices of {:.1f} GB in all, more than an eighth of this host's memory",
                      side, blocks, needed * 1e-9));
  }
  return 0;
}

}  // namespace papers
