// SPDX-License-Identifier: Apache-2.0
// Sorts a file of 64-bit numbers, which it makes first, into another one, by MPI: a sample gives borders, each rank sends each
// other what lies between its borders, and sorts what it gets. Parts are then of different sizes.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;

std::uint64_t number_at(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return i ^ (i >> 27);
}

MPI_File open(const std::string& path, int how) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), how, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    std::fprintf(stderr, "cannot open %s\n", path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

/// A piece at a time: counts are ints.
template <class Part>
void for_pieces(std::size_t n, Part part) {
  constexpr std::size_t most = 1 << 27;
  for (std::size_t first = 0; first < n; first += most) part(first, int(std::min(most, n - first)));
}

void write(const std::string& path, const numbers& mine) {
  const MPI_File file = open(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  std::uint64_t before = 0, n = mine.size(), all = 0;
  MPI_Exscan(&n, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&n, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_File_set_size(file, MPI_Offset(all * 8));
  for_pieces(mine.size(), [&](std::size_t first, int count) {
    MPI_File_write_at(file, MPI_Offset((before + first) * 8), mine.data() + first, count, MPI_UINT64_T, MPI_STATUS_IGNORE);
  });
  MPI_File handle = file;
  MPI_File_close(&handle);
}

numbers read(const std::string& path, int rank, int ranks) {
  MPI_File file = open(path, MPI_MODE_RDONLY);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  const std::size_t n = std::size_t(size) / 8, first = n * std::size_t(rank) / std::size_t(ranks),
                    end = n * std::size_t(rank + 1) / std::size_t(ranks);
  numbers mine(end - first);
  for_pieces(mine.size(), [&](std::size_t at, int count) {
    MPI_File_read_at(file, MPI_Offset((first + at) * 8), mine.data() + at, count, MPI_UINT64_T, MPI_STATUS_IGNORE);
  });
  MPI_File_close(&file);
  return mine;
}

/// The first numbers of all parts but the first.
numbers find_borders(const numbers& mine, int ranks) {
  constexpr std::size_t of_each = 1024;
  numbers sample(of_each), all(of_each * std::size_t(ranks));
  for (std::size_t k = 0; k < of_each; ++k) sample[k] = mine.empty() ? 0 : mine[number_at(k) % mine.size()];
  MPI_Allgather(sample.data(), int(of_each), MPI_UINT64_T, all.data(), int(of_each), MPI_UINT64_T, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  numbers borders;
  for (int r = 1; r < ranks; ++r) borders.push_back(all[of_each * std::size_t(r)]);
  return borders;
}

/// Each part of what a rank has to the rank that it is for.
numbers exchange(const numbers& mine, const numbers& borders, int ranks) {
  const auto all_ranks = std::size_t(ranks);
  std::vector<int> out(all_ranks), out_at(all_ranks), in(all_ranks), in_at(all_ranks);
  const auto part_of = [&](std::uint64_t x) {
    return std::size_t(std::upper_bound(borders.begin(), borders.end(), x) - borders.begin());
  };
  for (const std::uint64_t x : mine) ++out[part_of(x)];
  for (std::size_t r = 1; r < all_ranks; ++r) out_at[r] = out_at[r - 1] + out[r - 1];
  numbers dealt(mine.size());
  std::vector<int> next = out_at;
  for (const std::uint64_t x : mine) dealt[std::size_t(next[part_of(x)]++)] = x;
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t r = 1; r < all_ranks; ++r) in_at[r] = in_at[r - 1] + in[r - 1];
  numbers got(std::size_t(in_at.back() + in.back()));
  MPI_Alltoallv(dealt.data(), out.data(), out_at.data(), MPI_UINT64_T, got.data(), in.data(), in_at.data(), MPI_UINT64_T,
                MPI_COMM_WORLD);
  return got;
}

/// Whether the parts of all ranks, one behind the other, are in order.
bool is_sorted(const numbers& mine, int rank, int ranks) {
  std::vector<std::uint64_t> ends(2 * std::size_t(ranks)),
      my_ends{mine.empty() ? 0 : mine.front(), mine.empty() ? 0 : mine.back()};
  MPI_Allgather(my_ends.data(), 2, MPI_UINT64_T, ends.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
  int good =
      std::is_sorted(mine.begin(), mine.end()) && (rank == 0 || mine.empty() || ends[std::size_t(2 * rank - 1)] <= mine.front());
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return good != 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    if (rank == 0) std::fprintf(stderr, "usage: %s MEGABYTES FILE\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const std::size_t megabytes = std::size_t(std::atoll(argv[1])), n = megabytes * 125'000;
  const std::string path = argv[2];
  std::uint64_t sums[2] = {0, 0};
  numbers mine;
  for (std::size_t i = n * std::size_t(rank) / std::size_t(ranks); i < n * std::size_t(rank + 1) / std::size_t(ranks); ++i) {
    mine.push_back(number_at(i));
    sums[0] += mine.back();
  }
  write(path, mine);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  mine = read(path, rank, ranks);
  mine = exchange(mine, find_borders(mine, ranks), ranks);
  std::sort(mine.begin(), mine.end());
  write(path + ".sorted", mine);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;
  mine = read(path + ".sorted", rank, ranks);
  for (const std::uint64_t x : mine) sums[1] += x;
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const bool right = is_sorted(mine, rank, ranks) && sums[0] == sums[1];
  if (rank == 0)
    std::printf("%zu numbers in %.3f s, %.1f MB/s: %s\n", n, time, double(megabytes) / time, right ? "right" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
