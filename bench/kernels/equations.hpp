// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/kernels/keys.hpp"

/// The symmetric matrices of the rows of conjugate gradients, which the library and MPI share out by rows in blocks.
namespace bench {

struct equation_entry {
  std::size_t row, column;
  double value;
};

/// Rows [first, last) of the equation of Poisson on a square of `n` points.
inline std::vector<equation_entry> poisson_rows(std::size_t n, std::size_t first, std::size_t last) {
  const auto side = std::size_t(std::lround(std::sqrt(double(n))));
  std::vector<equation_entry> all;
  for (std::size_t v = first; v < last; ++v) {
    if (v >= side) all.push_back({v, v - side, -1});
    if (v % side != 0) all.push_back({v, v - 1, -1});
    all.push_back({v, v, 4});
    if (v % side + 1 != side) all.push_back({v, v + 1, -1});
    if (v + side < n) all.push_back({v, v + side, -1});
  }
  return all;
}

/// Rows [first, last) of a network of `n` springs' ends, which are as dense as bcsstk13, a matrix of a structure: 2,003 rows of
/// 42 entries, the stiffest spring a million million times the softest. It takes thousands of steps to solve.
inline std::vector<equation_entry> stiff_rows(std::size_t n, std::size_t first, std::size_t last) {
  constexpr std::size_t reach = 250;
  const auto spring = [](std::size_t low, std::size_t far) {  // from `low` to low + far; 0: none
    const std::uint64_t bits = random_bits(low * (reach + 1) + far);
    return far == 1 || bits % reach < 20 ? std::exp2(-double(bits >> 32 & 1023) / 25.6) : 0.0;
  };
  std::vector<equation_entry> all;
  for (std::size_t v = first; v < last; ++v) {
    const std::size_t own = all.size();
    all.push_back({v, v, 1e-9});  // held in place a little
    for (std::size_t far = 1; far <= reach; ++far)
      for (const bool below : {true, false}) {
        if (below ? far > v : v + far >= n) continue;
        const std::size_t other = below ? v - far : v + far;
        const double stiffness = spring(below ? other : v, far);
        if (stiffness == 0) continue;
        all.push_back({v, other, -stiffness});
        all[own].value += stiffness;
      }
  }
  return all;
}

}  // namespace bench
