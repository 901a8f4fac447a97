// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "bench/papers/common/record.hpp"

namespace npb {

using sort_key = std::uint32_t;

/// A class of the benchmark IS: how many keys below which one, and what the ranks of five of them must be in each iteration.
struct is_problem {
  char name;
  int keys_log2, key_range_log2;
  std::array<std::uint32_t, 5> places;  ///< of the checked keys among all
  std::array<std::int64_t, 5> ranks;    ///< of them in iteration 0, if there were one
  std::array<int, 5> drift;             ///< by which they change in an iteration

  static constexpr const char* what = "IS of the NAS parallel benchmarks: the ranks of integer keys, ten times.";
  static constexpr int iterations = 10;
  /// The first keys of all, of which each iteration changes two.
  static constexpr std::size_t changed_keys = 2 * iterations + 1;
  /// The benchmark finds a key's rank by way of buckets of equally many key values.
  static constexpr int buckets_log2 = 10;
  static constexpr int buckets = 1 << buckets_log2;

  /// By its name: S, W, A or B.
  static const is_problem& find(char name);

  std::uint64_t keys() const noexcept { return std::uint64_t(1) << keys_log2; }
  sort_key key_range() const noexcept { return sort_key(1) << key_range_log2; }
  int bucket_shift() const noexcept { return key_range_log2 - buckets_log2; }
  std::int64_t expected(int i, int iteration) const noexcept { return ranks[std::size_t(i)] + drift[std::size_t(i)] * iteration; }
  /// What the benchmark counts: a key ranked in an iteration.
  std::uint64_t operations() const noexcept { return iterations * keys(); }
  papers::json size() const;
};

/// The keys from place `first` to `last`, of all the keys of a class.
std::vector<sort_key> make_keys(const is_problem& p, std::uint64_t first, std::uint64_t last);

}  // namespace npb
