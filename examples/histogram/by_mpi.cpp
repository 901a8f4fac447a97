// SPDX-License-Identifier: Apache-2.0
// Counts random numbers into a table that is spread over all ranks, by MPI: numbers are gathered by the rank that has their bin,
// and sent in rounds.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

/// Where the bins lie: in blocks of one size.
struct table {
  table(std::size_t bins, int rank, int ranks) : block((bins + std::size_t(ranks) - 1) / std::size_t(ranks)) {
    const std::size_t first = std::min(bins, block * std::size_t(rank)), end = std::min(bins, block * std::size_t(rank + 1));
    count.resize(end - first);
  }
  std::size_t block;
  std::vector<std::int64_t> count;
};

/// Sends what is gathered for each rank there, and counts what comes.
void exchange(std::vector<std::vector<std::uint32_t>>& rows, table& mine) {
  std::vector<int> out, out_at, in(rows.size()), in_at(rows.size());
  std::vector<std::uint32_t> sent;
  for (std::vector<std::uint32_t>& row : rows) {
    out_at.push_back(int(sent.size()));
    out.push_back(int(row.size()));
    sent.insert(sent.end(), row.begin(), row.end());
    row.clear();
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t r = 1; r < in.size(); ++r) in_at[r] = in_at[r - 1] + in[r - 1];
  std::vector<std::uint32_t> come(std::size_t(in_at.back() + in.back()));
  MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_UINT32_T, come.data(), in.data(), in_at.data(), MPI_UINT32_T,
                MPI_COMM_WORLD);
  for (const std::uint32_t place : come) ++mine.count[place];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    if (rank == 0) std::fprintf(stderr, "usage: %s BINS DRAWS\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  constexpr std::size_t batch = 4096, round = 16 * batch;
  const auto bins = std::size_t(std::atoll(argv[1])), draws = (std::size_t(std::atoll(argv[2])) + batch - 1) / batch * batch;
  table mine(bins, rank, ranks);
  std::vector<std::vector<std::uint32_t>> rows(static_cast<std::size_t>(ranks));
  std::mt19937_64 random(std::uint64_t(rank) + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (std::size_t k = 0; k < draws; k += round) {
    for (std::size_t j = 0; j < std::min(round, draws - k); ++j) {
      const std::size_t bin = random() % bins;
      rows[bin / mine.block].push_back(std::uint32_t(bin % mine.block));
    }
    exchange(rows, mine);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;
  std::int64_t sum = 0, most = 0;
  for (const std::int64_t n : mine.count) sum += n, most = std::max(most, n);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  const bool right = std::size_t(sum) == draws * std::size_t(ranks);
  if (rank == 0)
    std::printf("%ld numbers in %zu bins, the fullest has %ld, %.3f s: %s\n", long(sum), bins, long(most), time,
                right ? "right" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
