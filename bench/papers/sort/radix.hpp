// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bench/papers/sort/keys.hpp"

/// Radix sort in two levels: keys are spread by their upper bits over buckets that fit into a cache, then each bucket is sorted
/// by its lower bits. Plain C++; where the buckets lie is the caller's affair.
namespace sorting {

/// How the significant bits of the keys are divided.
struct radix_plan {
  key lowest = 0;      ///< of all keys
  unsigned shift = 0;  ///< bits below the digit that chooses the bucket
  std::size_t digits = 1;

  /// For `n` keys between `low` and `high`: buckets of some 32 Ki keys, so that one and its copy lie in the second-level cache,
  /// at least 256 of them, so that ranks get equal shares, and at most 2048: one line is open for each while keys are spread.
  static radix_plan of(std::uint64_t n, key low, key high) {
    const unsigned bits = unsigned(std::bit_width(std::uint32_t(high) - std::uint32_t(low)));
    const unsigned wanted = std::clamp(unsigned(std::bit_width(n >> 15)), 8U, 11U);
    const unsigned upper = std::min(bits, wanted);
    return {low, bits - upper, std::size_t{1} << upper};
  }
  std::uint32_t above_lowest(key k) const { return std::uint32_t(k) - std::uint32_t(lowest); }
  std::size_t digit(key k) const { return above_lowest(k) >> shift; }
};

inline std::vector<std::uint64_t> count_digits(std::span<const key> keys, const radix_plan& plan) {
  std::vector<std::uint64_t> counts(plan.digits);
  for (const key k : keys) ++counts[plan.digit(k)];
  return counts;
}

/// Writes each key to where the next one with its digit goes, a cache line at a time and past the caches: it is not read soon.
class line_spreader {
 public:
  explicit line_spreader(std::vector<key*> places) : next_(std::move(places)), first_(next_), lines_(new line[next_.size()]) {}

  void spread(std::span<const key> keys, const radix_plan& plan) {
    for (const key k : keys) {
      const std::size_t d = plan.digit(k);
      key* const at = next_[d]++;
      const std::size_t slot = slot_of(at);
      lines_[d].keys[slot] = k;
      if (slot == line_keys - 1) [[unlikely]]
        write_line(d, at - slot);
    }
    for (std::size_t d = 0; d < next_.size(); ++d) {
      key* const begin = std::max(next_[d] - slot_of(next_[d]), first_[d]);
      std::copy_n(&lines_[d].keys[slot_of(begin)], next_[d] - begin, begin);
    }
    _mm_sfence();  // what went past the caches is in no order otherwise, not even before a barrier
  }

 private:
  static constexpr std::size_t line_keys = 64 / sizeof(key);
  struct alignas(64) line {
    key keys[line_keys];
  };
  static std::size_t slot_of(const key* at) { return std::bit_cast<std::uintptr_t>(at) / sizeof(key) % line_keys; }

  void write_line(std::size_t d, key* to) {
    if (to < first_[d]) [[unlikely]] {  // its beginning belongs to another digit, or to another rank
      std::copy(&lines_[d].keys[first_[d] - to], &lines_[d].keys[line_keys], first_[d]);
      return;
    }
    const auto* const from = reinterpret_cast<const __m128i*>(lines_[d].keys);
    for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, from[i]);
  }

  std::vector<key*> next_, first_;
  std::unique_ptr<line[]> lines_;
};

/// Sorts keys that differ in their lowest plan.shift bits only, by as few passes as possible. `other`: room for as many.
inline void sort_bucket(std::span<key> keys, key* other, const radix_plan& plan) {
  constexpr unsigned most_bits = 11, most_passes = 3;
  constexpr std::size_t few = 512;  // the tables would cost more
  const unsigned passes = (plan.shift + most_bits - 1) / most_bits;
  if (keys.size() < few || passes > most_passes) return std::sort(keys.begin(), keys.end());
  if (passes == 0) return;
  const unsigned bits = (plan.shift + passes - 1) / passes;
  const std::uint32_t mask = (1U << bits) - 1;
  std::array<std::array<std::uint32_t, 1 << most_bits>, most_passes> next;
  for (unsigned p = 0; p < passes; ++p) std::fill_n(next[p].begin(), mask + 1, 0U);
  for (const key k : keys)
    for (unsigned p = 0; p < passes; ++p) ++next[p][plan.above_lowest(k) >> p * bits & mask];
  key *from = keys.data(), *to = other;
  for (unsigned p = 0; p < passes; ++p) {
    std::uint32_t sum = 0;
    for (std::uint32_t d = 0; d <= mask; ++d) sum += std::exchange(next[p][d], sum);
    for (std::size_t i = 0; i < keys.size(); ++i) to[next[p][plan.above_lowest(from[i]) >> p * bits & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::copy_n(from, keys.size(), keys.data());
}

}  // namespace sorting
