// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/kernels/updates.hpp"  // random_numbers

/// What is sorted, and how each version's result is judged. Plain C++: both executables use it.
namespace sorting {

using key = std::int32_t;

/// Part `rank` of `n` keys in `ranks` parts that differ by one at most: uniform over all 2^32 values, the same keys in the same
/// order for any number of ranks.
inline std::vector<key> part_of_input(std::size_t n, std::size_t rank, std::size_t ranks) {
  constexpr std::size_t block = 4096;  // keys that follow from one seed
  const std::size_t first = n / ranks * rank + std::min(rank, n % ranks);
  const std::size_t last = n / ranks * (rank + 1) + std::min(rank + 1, n % ranks);
  std::vector<key> keys;
  keys.reserve(last - first);
  for (std::size_t b = first / block; b * block < last; ++b) {
    bench::random_numbers next{b * 0x632be59bd9b4e019U + 1997};
    for (std::size_t i = b * block; i < std::min(last, (b + 1) * block); ++i) {
      const key k = key(next() >> 32);
      if (i >= first) keys.push_back(k);
    }
  }
  return keys;
}

/// A number that two multisets of keys share only when they are equal, for all that chance can do.
inline std::uint64_t marks_of(std::span<const key> keys) {
  std::uint64_t sum = 0;
  for (const key k : keys) {
    const std::uint64_t x = (std::uint64_t(std::uint32_t(k)) + 1) * 0x9e3779b97f4a7c15U;
    sum += (x ^ x >> 29) * 0xbf58476d1ce4e5b9U;
  }
  return sum;
}

/// What a rank says about its part of the result; what all ranks say tells whether the whole is sorted.
struct part_summary {
  std::uint64_t marks = 0;
  std::uint64_t count = 0;
  key first = 0, last = 0;
  std::uint32_t sorted = 1;
};

inline part_summary summarise(std::span<const key> part) {
  part_summary s{.marks = marks_of(part), .count = part.size(), .sorted = std::is_sorted(part.begin(), part.end())};
  if (!part.empty()) s.first = part.front(), s.last = part.back();
  return s;
}

/// Whether the parts, in their order, hold the same keys as the input, and sorted.
inline bool is_sorted_permutation(std::span<const part_summary> parts, std::uint64_t input_marks, std::uint64_t input_count) {
  part_summary all;
  for (const part_summary& p : parts) {
    if (p.count != 0 && all.count != 0 && p.first < all.last) return false;
    if (p.sorted == 0) return false;
    if (p.count != 0) all.last = p.last;
    all.marks += p.marks;
    all.count += p.count;
  }
  return all.marks == input_marks && all.count == input_count;
}

}  // namespace sorting
