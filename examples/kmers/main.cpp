// SPDX-License-Identifier: Apache-2.0
// Counts the words of 31 bases (31-mers) of a sequence, which repeats itself in places, and finds the most frequent. The same
// program by MPI stands beside, in by_mpi.cpp.
#include <cstdint>
#include <functional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

namespace {

constexpr std::size_t k = 31;

/// Base i of the sequence: 0 to 3. Each tenth stretch of 100 is the same.
std::uint64_t base_at(std::uint64_t i) {
  if (i / 100 % 10 == 0) i %= 100;
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  return (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ULL >> 62;
}

bool count_kmers(std::size_t bases) {
  if (bases < k) return am::print_on(0, "BASES must be {} or more\n", k), false;
  const auto start = am::clock::now();
  const std::size_t all = bases - k + 1, me = std::size_t(am::rank()), ranks = std::size_t(am::ranks());
  const std::size_t first = all * me / ranks, end = all * (me + 1) / ranks;
  am::unordered_map<std::uint64_t, std::uint32_t> count;
  std::uint64_t kmer = 0;
  for (std::size_t i = first; i < end + k - 1; ++i) {
    kmer = (kmer << 2 | base_at(i)) & ((std::uint64_t{1} << 2 * k) - 1);
    if (i >= first + k - 1) count.update(kmer, 1, std::plus<>{});
  }
  am::fence();
  std::size_t counted = 0;
  for (const auto& [word, n] : count.local()) counted += n;
  counted = am::all_reduce(counted, std::plus<>{});
  for (const auto& [word, n] : am::top_k(count, 3, am::by_value)) am::print_on(0, "{:016x} {}\n", word, n);
  am::print_on(0, "{} of {} k-mers are different, {:.3f} s: {}\n", count.size(), all, am::seconds_since(start),
               counted == all ? "right" : "WRONG");
  return counted == all;
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "BASES", count_kmers); }
