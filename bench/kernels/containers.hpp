// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/keys.hpp"
#include "examples/search/tree.hpp"

/// What the rows of containers do, the same for the library and for what is written by hand. All ranks together do the work of
/// two, so that figures of more ranks compare: 2 * iterations operations, and a figure is the time of two of them.
namespace bench {

/// Of all `2 * iterations` operations those of one rank.
struct share {
  std::size_t first, end;
  std::size_t size() const { return end - first; }
};
inline share share_of(long iterations, int rank, int ranks) {
  const std::size_t all = 2 * std::size_t(iterations), r = std::size_t(rank), n = std::size_t(ranks);
  return {all * r / n, all * (r + 1) / n};
}

/// Keys of operations: uniform below `range`; Zipf: key k as often as 1 / k says; each its own.
enum class keys { uniform, zipf, distinct };
inline std::uint64_t key_at(keys kind, std::size_t i, long range) {
  const std::uint64_t bits = random_bits(i);
  if (kind == keys::distinct) return bits;
  if (kind == keys::uniform) return random_bits(bits % std::uint64_t(range));
  return random_bits(std::uint64_t(std::exp(double(bits >> 11) * 0x1p-53 * std::log(double(range) + 1))) - 1);
}

/// Kept between samples, since making them takes as long as using them. One per rank, and ranks may be threads.
inline const std::vector<std::uint64_t>& cached_keys(keys kind, share s, long range) {
  static thread_local std::vector<std::uint64_t> kept;
  static thread_local std::pair<keys, std::pair<std::size_t, long>> of{keys::distinct, {0, 0}};
  const auto wanted = std::make_pair(kind, std::make_pair(s.first, range));
  if (of != wanted || kept.size() != s.size()) {
    kept.clear();
    for (std::size_t i = s.first; i < s.end; ++i) kept.push_back(key_at(kind, i, range));
  }
  of = wanted;
  return kept;
}

/// A text of 16 characters.
inline std::string text_at(std::size_t i) {
  std::string text;
  for (std::uint64_t bits = random_bits(i), k = 0; k < 16; ++k, bits >>= 4) text += char('a' + bits % 16);
  return text;
}

/// Sets that are united: some fall together, many do not.
inline std::pair<std::size_t, std::size_t> united_at(std::size_t i, long sets) {
  const std::uint64_t bits = random_bits(i);
  return {std::size_t((bits >> 32) % std::uint64_t(sets)), std::size_t((bits & 0xffffffff) % std::uint64_t(sets))};
}

/// A million nodes or so for 20,000 children of the root.
inline tree::shape tree_of(long root_children) { return {.root_children = int(root_children)}; }

}  // namespace bench
