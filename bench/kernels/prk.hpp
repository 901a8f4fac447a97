// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bench/harness/row.hpp"

/// The Parallel Research Kernels as they are defined: what both sides compute on their own part, and what must come out after a
/// number of iterations.
namespace bench::prk {

inline bool near(double a, double b) { return std::abs(a - b) <= 1e-8 * std::abs(b); }

// ---- nstream: a = a + b + 3 c. b and c are 2 ----

[[gnu::noinline]] inline void add_scaled(double* __restrict a, const double* b, const double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] += b[i] + 3 * c[i];
}
inline bool right_sums(const double* a, std::size_t n, long iterations) {
  return std::all_of(a, a + n, [&](double x) { return near(x, 8.0 * double(iterations)); });
}

// ---- stencil: out = out + star of radius 2 of in, then in = in + 1. in is i + j at first, and each star is 2 ----

inline constexpr std::ptrdiff_t radius = 2;

/// One row: `in` is its first cell, and `width` the distance of rows.
[[gnu::noinline]] inline void add_star(const double* __restrict in, std::ptrdiff_t width, double* __restrict out,
                                       std::ptrdiff_t n) {
  constexpr double near_by = 1.0 / (2 * radius), beyond = 1.0 / (4 * radius);
  for (std::ptrdiff_t j = radius; j < n - radius; ++j)
    out[j] += near_by * (in[j + 1] - in[j - 1] + in[j + width] - in[j - width]) +
              beyond * (in[j + 2] - in[j - 2] + in[j + 2 * width] - in[j - 2 * width]);
}
[[gnu::noinline]] inline void add_one(double* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] += 1;
}
inline bool right_stars(const double* row, std::ptrdiff_t n, long iterations) {
  return std::all_of(row + radius, row + n - radius, [&](double x) { return near(x, 2.0 * double(iterations)); });
}

// ---- transpose: b = b + transposed a, then a = a + 1. a(i, j) is n i + j at first ----

inline constexpr std::size_t tile = 32;

/// Adds `rows` rows of `columns` numbers to columns.
[[gnu::noinline]] inline void add_turned(const double* from, std::size_t from_width, double* __restrict to, std::size_t to_width,
                                         std::size_t rows, std::size_t columns) {
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) to[j * to_width + i] += from[i * from_width + j];
}
/// What is in b(j, i).
inline double turned(std::size_t n, std::size_t j, std::size_t i, long iterations) {
  const double k = double(iterations);
  return k * double(n * i + j) + k * (k - 1) / 2;
}

// ---- synch_p2p: a wave goes through a grid. Its first row and column count up from 0; the corner goes back, negated ----

/// One row behind the column on its left: `before` is the row above it, and their first cells are of that column.
[[gnu::noinline]] inline void advance_row(const double* before, double* row, std::size_t n) {
  for (std::size_t j = 1; j < n; ++j) row[j] = row[j - 1] + before[j] - before[j - 1];
}
inline double corner(std::size_t rows, std::size_t columns, long iterations) {
  return double(iterations) * double(rows + columns - 2);
}

// ---- random: words of a table that counts up from 0 become their exclusive or with a random number. Twice: nothing changes ----

/// The upper bits of a random number say on which rank the word is, the lower bits which of its words it is.
inline int rank_of(std::uint64_t random, int ranks) { return int(((random >> 32) * std::uint64_t(ranks)) >> 32); }
inline std::uint64_t word_of(std::uint64_t random, std::uint64_t words) { return random & (words - 1); }

// ---- sparse: y = y + A x. A is a star of radius 2 on a periodic square whose numbers are reversed bit by bit ----

/// The square has 2^bits rows and columns. `f(row, column, value)` for each entry of rows [first, last).
template <class F>
void each_entry(int bits, std::size_t first, std::size_t last, F&& f) {
  const std::size_t side = std::size_t{1} << bits;
  const auto reversed = [bits](std::size_t v) {
    std::size_t r = 0;
    for (int b = 0; b < 2 * bits; ++b) r |= (v >> b & 1) << (2 * bits - 1 - b);
    return r;
  };
  const auto entry = [&](std::size_t row, std::size_t i, std::size_t j) {
    const std::size_t column = reversed((i & (side - 1)) * side + (j & (side - 1)));
    f(row, column, 1 / double(column + 1));
  };
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t i = row >> bits, j = row & (side - 1);
    entry(row, i, j);
    for (std::size_t d = 1; d <= std::size_t(radius); ++d) {
      entry(row, i + d, j);
      entry(row, i - d, j);
      entry(row, i, j + d);
      entry(row, i, j - d);
    }
  }
}
/// x(i) grows by i + 1 before each product, so each entry of a row adds the number of the iteration.
inline double right_product(long iterations) {
  return (4 * double(radius) + 1) * double(iterations) * double(iterations + 1) / 2;
}

}  // namespace bench::prk
