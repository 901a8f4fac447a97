// SPDX-License-Identifier: Apache-2.0
// The sample sort by hand: parts are brought together, then exchanged by MPI_Alltoallv.
#include "bench/papers/common/measure.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/sort/options.hpp"
#include "bench/papers/sort/sampling.hpp"

namespace papers {
namespace {

using namespace sorting;

// parallel
std::vector<int> begins_of(const std::vector<int>& counts) {
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  return begins;
}

std::vector<key> sample_of_all(std::span<const key> input, int ranks) {
  const std::vector<key> mine = sample_of(input);
  const int n = int(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> begins = begins_of(counts);
  std::vector<key> all(std::size_t(begins.back() + counts.back()));
  MPI_Allgatherv(mine.data(), n, MPI_INT32_T, all.data(), counts.data(), begins.data(), MPI_INT32_T, MPI_COMM_WORLD);
  return all;
}

std::vector<key> sort_mpi(std::span<const key> input, int ranks) {
  const partition out = partition_of(input, splitters_of({sample_of_all(input, ranks)}, std::size_t(ranks)));
  const std::vector<int> out_counts(out.counts.begin(), out.counts.end());
  std::vector<int> in_counts(out_counts.size());
  MPI_Alltoall(out_counts.data(), 1, MPI_INT, in_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> out_begins = begins_of(out_counts), in_begins = begins_of(in_counts);
  std::vector<key> mine(std::size_t(in_begins.back() + in_counts.back()));
  MPI_Alltoallv(out.keys.data(), out_counts.data(), out_begins.data(), MPI_INT32_T, mine.data(), in_counts.data(),
                in_begins.data(), MPI_INT32_T, MPI_COMM_WORLD);
  std::sort(mine.begin(), mine.end());
  return mine;
}
// end of parallel

bool right(std::span<const key> part, std::uint64_t marks, std::size_t n, int ranks) {
  const part_summary mine = summarise(part);
  std::vector<part_summary> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return is_sorted_permutation(all, marks, n);
}

void run_all(const command_line& line, const sort_options& how) {
  keep_freed_memory();
  runner<mpi_job> run(line);
  const int ranks = run.job().ranks();
  for (const std::size_t n : how.keys) {
    const std::vector<key> input = part_of_input(n, std::size_t(run.job().rank()), std::size_t(ranks));
    std::uint64_t marks = marks_of(input);
    MPI_Allreduce(MPI_IN_PLACE, &marks, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    std::vector<key> part;
    run.measure(sort_options::describe("alltoallv", n, marks, "bench/papers/sort/mpi.cpp"),
                work{.prepare = [&] { part = {}; },
                     .body = [&] { part = sort_mpi(input, ranks); },
                     .right = [&] { return right(part, marks, n, ranks); },
                     .value = [](double seconds) { return seconds * 1e3; }});
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("sort", "Sorts 32-bit keys by a sample sort for MPI.", {"alltoallv"});
  papers::sort_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  return papers::run_mpi("sort", [&line, &how] { papers::run_all(line, how); });
}
