// SPDX-License-Identifier: Apache-2.0
#include "armilla/grid.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

/// Tries all products; those with more blocks in the first dimensions come first, because their borders are contiguous.
struct block_choice {
  std::size_t dimensions;
  const std::size_t* extents;
  rank_t* best;
  double least = std::numeric_limits<double>::infinity();
  rank_t tried[3] = {1, 1, 1};

  double length(std::size_t d) const { return double(extents[d]) / double(tried[d]); }

  /// Cells that the block with most neighbours takes from them; members without cells are worse than any border.
  double border() const {
    double all = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      double side = double(std::min(tried[d] - 1, rank_t(2)));
      for (std::size_t e = 0; e < dimensions; ++e)
        if (e != d) side *= length(e);
      if (std::size_t(tried[d]) > extents[d]) side += 1e30 * double(tried[d]);
      all += side;
    }
    return all;
  }
  void look(std::size_t d, rank_t left) {
    if (d + 1 == dimensions) {
      tried[d] = left;
      if (const double b = border(); b < least) {
        least = b;
        std::copy(tried, tried + dimensions, best);
      }
      return;
    }
    for (rank_t n = left; n > 0; --n)
      if (left % n == 0) {
        tried[d] = n;
        look(d + 1, left / n);
      }
  }
};

}  // namespace

void choose_blocks(std::size_t dimensions, const std::size_t* extents, rank_t members, rank_t* blocks) {
  block_choice{dimensions, extents, blocks}.look(0, members);
}

void take_blocks(std::size_t dimensions, const std::vector<rank_t>& given, rank_t members, rank_t* blocks) {
  std::int64_t product = 1;
  for (const rank_t n : given) product = n > 0 && product <= members ? product * n : 0;
  if (given.size() != dimensions || product != members)
    throw_usage("matrix",
                fmt::format("a grid of {} blocks does not deal a matrix of {} dimensions to {} ranks; give one number for "
                            "each dimension, whose product is {}, or leave the choice to grid()",
                            fmt::join(given, " x "), dimensions, members, members));
  std::copy(given.begin(), given.end(), blocks);
}

void throw_beyond_halo(const char* operation, std::size_t dimension, std::ptrdiff_t i, std::ptrdiff_t first, std::ptrdiff_t end) {
  throw_usage(operation, fmt::format("coordinate {} in dimension {}; this rank's cells and their halo are from {} to {}; stay "
                                     "within these, or make the matrix with a wider halo (am::halo)",
                                     i, dimension, first, end - 1));
}
void throw_cell(const void* inside, std::size_t dimension, std::size_t i, std::size_t extent) {
  throw_usage_of(inside, "matrix",
                 fmt::format("coordinate {} in dimension {}, which has {} cells{}", i, dimension, extent,
                             looks_negative(i) ? " (is it a negative number?)" : ""));
}

void throw_too_large(std::size_t dimensions, const std::size_t* extents) {
  throw_limit(algorithm_here("matrix"), fmt::format("{} cells are more than any segments hold (is an extent a negative number?)",
                                                    fmt::join(extents, extents + dimensions, " x ")));
}

void throw_block_too_large(std::size_t dimensions, const std::size_t* extents, const std::size_t* before,
                           const std::size_t* behind, std::size_t bytes) {
  throw_limit(algorithm_here("matrix"),
              fmt::format("{} cells of {} bytes with a halo of {} before and {} behind each block are more than any "
                          "segment holds; ask for fewer cells, or for a narrower halo",
                          fmt::join(extents, extents + dimensions, " x "), bytes, fmt::join(before, before + dimensions, " x "),
                          fmt::join(behind, behind + dimensions, " x ")));
}

void throw_halo_in_pieces(std::size_t dimensions, const std::size_t* extents, const std::size_t* before,
                          const std::size_t* behind) {
  throw_limit(algorithm_here("matrix"),
              fmt::format("a halo of {} before and {} behind each block of a matrix of {} cells has the same cells too often (it "
                          "is made of {} copied pieces at most); make it narrower",
                          fmt::join(before, before + dimensions, " x "), fmt::join(behind, behind + dimensions, " x "),
                          fmt::join(extents, extents + dimensions, " x "), most_halo_pieces));
}

void throw_no_matrix() {
  throw_usage("matrix",
              "it has no cells: it was not made, or moved away; make it with its extents, am::matrix<double> t({100, 100})");
}

void throw_product_shapes(const std::array<std::size_t, 2>& a, const std::array<std::size_t, 2>& b,
                          const std::array<std::size_t, 2>& c) {
  throw_usage("gemm", fmt::format("inputs of {} x {} and {} x {} cells and an output of {} x {}; the second has as many rows as "
                                  "the first has columns, and the output is another matrix, with the first one's rows and the "
                                  "second one's columns",
                                  a[0], a[1], b[0], b[1], c[0], c[1]));
}

void throw_transposed_shape(std::size_t rows, std::size_t columns, std::size_t in_rows, std::size_t in_columns) {
  throw_usage("transpose", fmt::format("the output has {} x {} cells and the input {} x {}; give another matrix of {} x {}", rows,
                                       columns, in_rows, in_columns, in_columns, in_rows));
}

void throw_stencil_shapes(bool same) {
  throw_usage("stencil", same ? "input and output are one matrix, whose cells change while others read them; give a second one "
                                "(am::matrix u = t.like()) and swap them"
                              : "input and output differ in extents or grid; make one like the other (t.like())");
}

void throw_beyond_halo(std::size_t dimension, std::ptrdiff_t distance, std::size_t width) {
  throw_usage("stencil",
              fmt::format("a cell {} away in dimension {} is asked for, and the halo of the input is {} wide there; make it with "
                          "am::halo({})",
                          distance, dimension, width, distance < 0 ? -distance : distance));
}

}  // namespace armilla::detail

namespace armilla {

void halo::require_width(std::size_t width) {
  if (detail::looks_negative(width))
    detail::throw_usage("halo", fmt::format("a width of {} cells (is it a negative number?); give 0 or more", width));
}

namespace detail {

void throw_dimension(std::size_t dimensions, std::size_t d) {
  throw_usage("matrix", fmt::format("dimension {}{}; give one from 0 to {}", d,
                                    looks_negative(d) ? " (is it a negative number?)" : "", dimensions - 1));
}

}  // namespace detail

}  // namespace armilla
