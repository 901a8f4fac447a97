// SPDX-License-Identifier: Apache-2.0
// The papers' matrix multiplication whose ranks serve blocks to each other while they compute, with OpenBLAS for the blocks.
// Blocks are reached by messages, so their owner has to answer.
#include "bench/papers/mm/alone.hpp"
#include "bench/papers/mm/get.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

mm::layout spread(int ranks) { return {.blocks = 4, .side = 512, .ranks = ranks}; }

/// Milliseconds of this rank's part of a product.
template <class Multiplication>
double product(row_context& c, Multiplication& version) {
  am::barrier();
  c.sync();
  const std::uint64_t start = now_ns();
  version.multiply();
  const double took = double(now_ns() - start) * 1e-6;
  am::barrier();
  return took;
}

double fetched(row_context& c) {
  mm::use_one_thread();
  mm::matrices all(spread(am::ranks()));
  mm::by_get version(all);
  const double took = product(c, version);
  verify(all.agrees(), "a block of the product");
  return took;
}

/// What dgemm alone takes: every rank has all blocks.
double alone(row_context& c) {
  mm::use_one_thread();
  mm::alone version(spread(am::ranks()), am::rank());
  const double took = product(c, version);
  verify(version.agrees(), "a block of the product");
  return took;
}

}  // namespace

void add_mm(row_table& rows) { rows.insert(rows.end(), {{"mm", fetched}, {"mm_alone", alone}}); }

}  // namespace bench::suites
