// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

/// Which rank has which block, and where. Numbers of blocks count from 0; block (i, j) is in row i and column j of blocks.
namespace lu {

/// A matrix of size x size numbers in blocks of block x block.
struct shape {
  int size = 512;
  int block = 16;
  int blocks() const noexcept { return size / block; }
  std::size_t elements() const noexcept { return std::size_t(block) * std::size_t(block); }  ///< of a block
};

/// The ranks as a grid; blocks are dealt to it in turn in both directions. Paper: SPLASH's 2D scatter decomposition.
struct grid {
  int rows = 1, columns = 1;

  /// As square as may be, and not higher than wide.
  static grid of(int ranks) noexcept {
    grid g;
    for (int r = 1; r * r <= ranks; ++r)
      if (ranks % r == 0) g = {r, ranks / r};
    return g;
  }
  int rank(int row, int column) const noexcept { return row * columns + column; }
  int owner(int i, int j) const noexcept { return rank(i % rows, j % columns); }
};

/// The numbers k with k % stride == mine: every rank has such ones of rows and of columns.
struct dealt {
  int mine = 0, stride = 1;
  bool has(int k) const noexcept { return k % stride == mine; }
  /// How many there are below k: the place of k in the own ones.
  int below(int k) const noexcept { return k <= mine ? 0 : (k - mine + stride - 1) / stride; }
  /// The first that is not below k.
  int from(int k) const noexcept { return mine + below(k) * stride; }
};

}  // namespace lu
