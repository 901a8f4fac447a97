// SPDX-License-Identifier: Apache-2.0
// What docs/recipes/beside-mpi.md shows beside the same program by MPI: a ring, sums, and a picture of rows.
#include <functional>
#include <numeric>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

static am::per_rank<double> left_end;  // a variable of each rank, which others can write

static bool steps(int n) {
  const int me = am::rank(), size = am::ranks(), right = (me + 1) % size;
  std::vector<double> mine(std::size_t(n), me);
  const double sum = am::all_reduce(std::accumulate(mine.begin(), mine.end(), 0.0), std::plus<>{});
  *left_end.on(right) = mine.back();
  am::barrier();
  const std::vector<double> ends = am::world().gather(left_end.local(), 0);
  if (me == 0) am::print_on(0, "sum {}, rank 0 got {}: {}\n", sum, ends[0], ends[0] == size - 1 ? "right" : "WRONG");
  return left_end.local() == (me + size - 1) % size;
}

int main(int argc, char** argv) { return am::run(argc, argv, "N", steps); }
