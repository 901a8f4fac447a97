// SPDX-License-Identifier: Apache-2.0
// A matrix multiplication whose ranks serve blocks to each other while they compute: the experiment of the Paragon paper (section
// 5), with OpenBLAS for the blocks. Blocks are reached by messages, so somebody has to answer.
#include <cblas.h>

#include <span>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

extern "C" void openblas_set_num_threads(int);

namespace bench::suites {
namespace {

constexpr int blocks = 4;  // in each direction
constexpr int side = 512;  // of a block
constexpr std::size_t block_elements = std::size_t(side) * side;

void multiply_add(const double* a, const double* b, double* c) {
  const am::interruptible here;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1.0, a, side, b, side, 1.0, c, side);
}

double a_value(int i, int k) { return double(i + k + 1); }
double b_value(int k, int j) { return double(k - j); }

/// Column k of A's blocks and row k of B's lie on rank k % ranks; row i of C's blocks is computed by rank i % ranks.
/// `Fetches`: else everybody has all blocks, which is what dgemm alone takes. ms.
template <bool Fetches>
double mm(row_context& c) {
  openblas_set_num_threads(1);
  const am::rank_t ranks = am::ranks();
  const auto place = [&](int k, int i) { return std::size_t(k / ranks * blocks + i) * block_elements; };
  const std::size_t mine = std::size_t((blocks + ranks - 1) / ranks * blocks) * block_elements;
  const everywhere<double> a(mine), b(mine);
  for (int k = am::rank(); k < blocks; k += ranks)
    for (int i = 0; i < blocks; ++i)
      for (std::size_t e = 0; e < block_elements; ++e) {
        a.mine.local()[place(k, i) + e] = a_value(i, k);
        b.mine.local()[place(k, i) + e] = b_value(k, i);
      }
  std::vector<double> far_a(block_elements, 1.0), far_b(block_elements, 1.0), sum(block_elements);
  am::barrier();
  c.sync();
  const std::uint64_t start = now_ns();
  for (int i = am::rank(); i < blocks; i += ranks)
    for (int j = 0; j < blocks; ++j) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int n = 0; n < blocks; ++n) {
        const int k = (n + am::rank()) % blocks;  // everybody begins elsewhere
        const am::rank_t owner = am::rank_t(k % ranks);
        const double *x = a.mine.local() + place(k, i), *y = b.mine.local() + place(k, j);
        if (owner != am::rank()) {
          x = far_a.data(), y = far_b.data();
          if (Fetches) {
            am::get(std::span(far_a), a.of(owner) + std::ptrdiff_t(place(k, i)));
            am::get(std::span(far_b), b.of(owner) + std::ptrdiff_t(place(k, j)));
            am::sync();
          }
        }
        multiply_add(x, y, sum.data());
      }
      double expected = 0;
      for (int k = 0; k < blocks; ++k) expected += side * a_value(i, k) * b_value(k, j);
      verify(!Fetches || sum[block_elements / 2 + 7] == expected, "a block of the product");
    }
  const double took = double(now_ns() - start) * 1e-6;
  am::barrier();
  return took;
}

}  // namespace

void add_mm(row_table& rows) { rows.insert(rows.end(), {{"mm", mm<true>}, {"mm_alone", mm<false>}}); }

}  // namespace bench::suites
