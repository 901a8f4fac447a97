// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/kernels/containers.hpp"

/// What the rows of sums by key have: pairs of a key and a value, of which all ranks together have `size`.
namespace bench {

using key_and_value = std::pair<std::uint64_t, std::uint64_t>;

/// Pairs [first, first + n), with keys of `kind` and at most `keys_in_all` of them. Values count the pairs.
inline std::vector<key_and_value> pairs_to_group(keys kind, long keys_in_all, std::size_t first, std::size_t n) {
  std::vector<key_and_value> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {key_at(kind, first + i, keys_in_all), first + i};
  return all;
}

/// Several sums of the values of a key.
struct summary {
  std::uint64_t sum, least, most, count;
  static summary of(std::uint64_t value) { return {value, value, value, 1}; }
  friend summary operator+(const summary& a, const summary& b) {
    return {a.sum + b.sum, std::min(a.least, b.least), std::max(a.most, b.most), a.count + b.count};
  }
};

/// The values of pairs [0, n), added up.
inline std::uint64_t sum_of_values(std::size_t n) { return std::uint64_t(n) * (n - 1) / 2; }

}  // namespace bench
