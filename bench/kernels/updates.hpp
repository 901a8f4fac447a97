// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace bench {

/// splitmix64: the same numbers everywhere.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
};

/// The histogram and the index gather: a table of `words` 8-byte words on every rank; each rank updates or reads random
/// ones of all ranks, its own included.
namespace updates {

inline constexpr int shift = 20;
inline constexpr std::uint64_t words = std::uint64_t{1} << shift;
inline constexpr std::uint64_t mask = words - 1;

constexpr int owner(std::uint64_t index) { return int(index >> shift); }
constexpr std::uint64_t local(std::uint64_t index) { return index & mask; }

/// What rank `rank` of `ranks` updates: n global indices of the first `used` words of each rank, a power of two.
inline std::vector<std::uint64_t> indices(int rank, int ranks, long n, std::uint64_t used) {
  random_numbers next{std::uint64_t(rank) + 1};
  std::vector<std::uint64_t> all(static_cast<std::size_t>(n));
  for (auto& i : all) {
    i = ((next() >> 32) * (words * std::uint64_t(ranks))) >> 32;  // fits: at most 64 ranks
    i = (i & ~mask) | (i & (used - 1));
  }
  return all;
}

/// Kept between samples, since making them takes as long as using them. One per rank, and ranks may be threads.
/// `size`: words that each rank's part is used of; 0: all.
inline const std::vector<std::uint64_t>& cached_indices(int rank, int ranks, long n, long size = 0) {
  static thread_local std::vector<std::uint64_t> kept;
  static thread_local long kept_size = -1;
  if (long(kept.size()) != n || kept_size != size) kept = indices(rank, ranks, n, size == 0 ? words : std::uint64_t(size));
  kept_size = size;
  return kept;
}

/// A number that two multisets of indices share only when they are equal, for all that chance can do: summed over the
/// indices by their senders, and over the table by the ranks that counted them.
constexpr std::uint64_t mark(std::uint64_t index) { return (index + 1) * 0x9e3779b97f4a7c15U ^ (index << 17); }

inline std::uint64_t marks_of(const std::vector<std::uint64_t>& all) {
  std::uint64_t sum = 0;
  for (const std::uint64_t i : all) sum += mark(i);
  return sum;
}

template <class Word>
std::uint64_t marks_of_table(const Word* table, int rank) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < words; ++i) sum += mark((std::uint64_t(rank) << shift) + i) * std::uint64_t(table[i]);
  return sum;
}

/// What the gather finds at an index.
constexpr std::uint64_t value_at(std::uint64_t index) { return index * 3 + 1; }

}  // namespace updates
}  // namespace bench
