// SPDX-License-Identifier: Apache-2.0
// N queens: in how many ways do N queens stand on a board without attacking each other? A call puts a queen into a row and, for
// each column, calls the same function for the next row on another rank, all columns at once, and waits for the sums. So at any
// time thousands of calls wait for each other, to and fro between the ranks, and each is a few lines of plain recursion.
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"

namespace am = armilla;

namespace {

constexpr std::array known{1L,   1L,   0L,    0L,     2L,     10L,     4L,       40L,      92L,
                           352L, 724L, 2680L, 14200L, 73712L, 365596L, 2279184L, 14772512L};

/// Queens in the first rows: columns and both diagonals that they attack, as seen from the next row.
struct board {
  std::uint32_t columns = 0, left = 0, right = 0;
  int size = 0, row = 0;

  std::uint32_t free() const { return ~(columns | left | right) & ((1u << size) - 1); }
  board with(std::uint32_t queen) const { return {columns | queen, (left | queen) << 1, (right | queen) >> 1, size, row + 1}; }
};

long count_here(const board& b) {
  if (b.row == b.size) return 1;
  long sum = 0;
  for (std::uint32_t free = b.free(); free != 0; free &= free - 1) sum += count_here(b.with(free & -free));
  return sum;
}

// Spreads boards over the ranks; which one gets a board does not matter.
am::rank_t place_of(const board& b) {
  const std::uint64_t mixed = (b.columns * 31u + b.left * 17u + b.right) * 0x9e3779b97f4a7c15u;
  return am::rank_t((mixed >> 32) % std::uint64_t(am::ranks()));
}

/// Up to row `shared` a call for each free column, behind it a loop.
long count(board b, int shared) {
  if (b.row >= shared || b.row == b.size) return count_here(b);
  long sum = 0;
  am::parfor(0, std::popcount(b.free()), [&](int n) {
    std::uint32_t free = b.free();
    while (n-- > 0) free &= free - 1;
    const board next = b.with(free & -free);
    // Other columns, and calls from elsewhere, go on during the wait. `+=` reads sum behind it; `sum = sum + ...` might not.
    sum += am::call<&count>(place_of(next), next, shared).get();
  });
  return sum;
}

void solve(int size, int shared) {
  const auto start = std::chrono::steady_clock::now();
  const long ways = count({.size = size}, shared);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  if (ways != known[std::size_t(size)])
    throw std::runtime_error(std::to_string(ways) + " ways, expected " + std::to_string(known[std::size_t(size)]));
  std::printf("%d queens on %d ranks: %ld ways, right (%.1f ms)\n", size, int(am::ranks()), ways, time.count());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("In how many ways N queens stand on a board, by calls that wait for calls.");
  int size = 9, shared = 4;
  arguments.take("queens", size, "how many, on a board of as many rows", 1, int(known.size()) - 1);
  arguments.take("--shared", shared, "rows whose columns are calls; the others are a loop", 0, 6);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  return am::run_main(argc, argv, [=] { solve(size, shared); });
}
