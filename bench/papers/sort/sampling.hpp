// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "bench/papers/sort/keys.hpp"

/// The steps of a sample sort that need no other rank, for all versions that are one. Plain C++.
namespace sorting {

/// Keys at even distances; so many that parts differ by some per mille.
inline std::vector<key> sample_of(std::span<const key> keys) {
  const std::size_t n = std::clamp<std::size_t>(keys.size() / 256, std::min<std::size_t>(keys.size(), 16), 16384);
  std::vector<key> sample(n);
  for (std::size_t i = 0; i < n; ++i) sample[i] = keys[keys.size() / n * i];
  return sample;
}

/// The `parts` - 1 keys that divide the samples of all ranks evenly.
inline std::vector<key> splitters_of(const std::vector<std::vector<key>>& samples, std::size_t parts) {
  std::vector<key> sample;
  for (const std::vector<key>& of_rank : samples) sample.insert(sample.end(), of_rank.begin(), of_rank.end());
  std::sort(sample.begin(), sample.end());
  std::vector<key> splitters(parts - 1);
  for (std::size_t i = 1; i < parts && !sample.empty(); ++i) splitters[i - 1] = sample[sample.size() * i / parts];
  return splitters;
}

/// The part to which `k` belongs. Counts, for as many splitters as there are ranks, without a branch that guesses wrongly.
inline std::size_t part_of(key k, std::span<const key> splitters) {
  std::size_t part = 0;
  for (const key s : splitters) part += std::size_t(k >= s);
  return part;
}

/// Keys by part: those of part 0, then those of part 1, and so on.
struct partition {
  std::vector<key> keys;
  std::vector<std::size_t> counts;
};

inline partition partition_of(std::span<const key> keys, std::span<const key> splitters) {
  partition p{std::vector<key>(keys.size()), std::vector<std::size_t>(splitters.size() + 1)};
  for (const key k : keys) ++p.counts[part_of(k, splitters)];
  std::vector<std::size_t> next(p.counts.size());
  std::exclusive_scan(p.counts.begin(), p.counts.end(), next.begin(), std::size_t{0});
  for (const key k : keys) p.keys[next[part_of(k, splitters)]++] = k;
  return p;
}

}  // namespace sorting
