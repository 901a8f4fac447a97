// SPDX-License-Identifier: Apache-2.0
// Counts random numbers into a table that is spread over all ranks: each rank draws, and adds to bins of any rank. The same
// program by MPI stands beside, in by_mpi.cpp.
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool count_numbers(std::size_t bins, std::size_t draws) {
  constexpr std::size_t batch = 4096;
  am::array<std::int64_t> count(bins);
  std::vector<std::size_t> drawn(batch);
  std::mt19937_64 random(std::uint64_t(am::rank()) + 1);
  const auto start = am::clock::now();
  for (std::size_t k = 0; k < draws; k += batch) {
    for (std::size_t& bin : drawn) bin = random() % bins;
    am::scatter_add(count, drawn, 1);
  }
  am::fence();
  const double time = am::seconds_since(start);
  const auto sum = std::size_t(am::reduce(count)), all = (draws + batch - 1) / batch * batch * std::size_t(am::ranks());
  am::print_on(0, "{} numbers in {} bins, the fullest has {}, {:.3f} s: {}\n", sum, bins, am::max(count), time,
               sum == all ? "right" : "WRONG");
  return sum == all;
}

int main(int argc, char** argv) { return am::run(argc, argv, "BINS DRAWS", count_numbers); }
