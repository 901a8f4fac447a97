// SPDX-License-Identifier: Apache-2.0
// Counts the words of 31 bases (31-mers) of a sequence, which repeats itself in places, by MPI: each rank goes through its share;
// in rounds, what has come together for each rank goes there, where it is counted.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "examples/open_table.hpp"

namespace {

constexpr std::size_t k = 31;
using entry = std::pair<std::uint64_t, std::uint64_t>;

/// Base i of the sequence: 0 to 3. Each tenth stretch of 100 is the same.
std::uint64_t base_at(std::uint64_t i) {
  if (i / 100 % 10 == 0) i %= 100;
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  return (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ULL >> 62;
}

struct mixed {
  std::uint64_t operator()(std::uint64_t x) const {
    x = (x ^ (x >> 31)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 29);
  }
};
using counts = open_table<std::uint64_t, std::uint32_t, mixed>;

/// What a rank has for each other.
class rows {
 public:
  explicit rows(int ranks) : rows_(std::size_t(ranks)) {}
  void add(std::uint64_t kmer) {
    rows_[mixed{}(kmer) % rows_.size()].push_back(kmer);
    ++held_;
  }
  std::size_t held() const { return held_; }
  /// All ranks send what they have; what has come is counted.
  void exchange(counts& into) {
    std::vector<int> out, out_at, in(rows_.size()), in_at(rows_.size());
    std::vector<std::uint64_t> sent;
    for (std::vector<std::uint64_t>& row : rows_) {
      out_at.push_back(int(sent.size()));
      out.push_back(int(row.size()));
      sent.insert(sent.end(), row.begin(), row.end());
      row.clear();
    }
    held_ = 0;
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t r = 1; r < in.size(); ++r) in_at[r] = in_at[r - 1] + in[r - 1];
    std::vector<std::uint64_t> come(std::size_t(in_at.back() + in.back()));
    MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_UINT64_T, come.data(), in.data(), in_at.data(), MPI_UINT64_T,
                  MPI_COMM_WORLD);
    each_ahead(into, come, [&](std::uint64_t kmer) { ++into[kmer]; });
  }

 private:
  std::vector<std::vector<std::uint64_t>> rows_;
  std::size_t held_ = 0;
};

void keep_best(std::vector<entry>& all, std::size_t n) {
  const auto before = [](const entry& a, const entry& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  n = std::min(n, all.size());
  std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(n), all.end(), before);
  all.resize(n);
}

/// On rank 0: the most frequent of all ranks.
std::vector<entry> best_of_all(const counts& mine, std::size_t n, int ranks) {
  std::vector<entry> best;
  mine.each([&](std::uint64_t kmer, std::uint32_t times) { best.emplace_back(kmer, times); });
  keep_best(best, n);
  best.resize(n);
  std::vector<entry> all(n * std::size_t(ranks));
  MPI_Gather(best.data(), int(2 * n), MPI_UINT64_T, all.data(), int(2 * n), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  keep_best(all, n);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || std::atoll(argv[1]) < int(k)) {
    if (rank == 0) std::fprintf(stderr, "usage: %s BASES (at least %zu)\n", argv[0], k);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double start = MPI_Wtime();
  constexpr std::size_t round = 1 << 20;
  const std::size_t all = std::size_t(std::atoll(argv[1])) - k + 1, me = std::size_t(rank), n = std::size_t(ranks);
  const std::size_t first = all * me / n, end = all * (me + 1) / n, rounds = (all / n + 1 + round - 1) / round;
  counts mine(~std::uint64_t{0});
  rows to(ranks);
  std::uint64_t kmer = 0;
  std::size_t i = first;
  for (std::size_t r = 0; r < rounds; ++r) {
    for (; i < end + k - 1 && to.held() < round; ++i) {
      kmer = (kmer << 2 | base_at(i)) & ((std::uint64_t{1} << 2 * k) - 1);
      if (i >= first + k - 1) to.add(kmer);
    }
    to.exchange(mine);
  }
  std::uint64_t sums[2] = {0, mine.size()};
  mine.each([&](std::uint64_t, std::uint32_t times) { sums[0] += times; });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const std::vector<entry> best = best_of_all(mine, 3, ranks);
  if (rank == 0) {
    for (const auto& [word, times] : best) std::printf("%016lx %lu\n", (unsigned long)word, (unsigned long)times);
    std::printf("%lu of %zu k-mers are different, %.3f s: %s\n", (unsigned long)sums[1], all, MPI_Wtime() - start,
                sums[0] == all ? "right" : "WRONG");
  }
  MPI_Finalize();
  return sums[0] == all ? 0 : 1;
}
