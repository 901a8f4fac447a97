// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "armilla/container/keyed/guarded_sort.hpp"

/// Sorts by keys that are numbers: by counting, digit by digit from the lowest, without a comparison.
namespace armilla::detail {

/// Fewer elements than these are sorted by comparisons.
inline constexpr std::size_t few_for_digits = 512;
inline constexpr std::size_t digit_values = 256;

/// The lowest of `digits` by which elements must be dealt: dealt by it and those above it, nearly all are alone, if digits do not
/// depend on each other. `counts` says how often each digit has each value.
inline std::size_t lowest_digit_to_deal(const std::size_t* counts, std::size_t digits, std::size_t n) {
  const double enough = double(std::bit_width(n)) + 4;
  double bits = 0;
  while (digits > 0 && bits < enough) {
    --digits;
    for (std::size_t v = 0; v < digit_values; ++v)
      if (const auto c = double(counts[digits * digit_values + v]); c > 0) bits += c / double(n) * std::log2(double(n) / c);
  }
  return digits;
}

/// Sorts elements that follow each other and are alike but for the lowest `shift` bits.
template <class T, class Word>
void sort_alike(T* first, std::size_t n, unsigned shift, const Word& word_of) {
  const auto less = [&word_of](const T& a, const T& b) { return word_of(a) < word_of(b); };
  std::size_t begin = 0;
  for (std::size_t k = 1; k <= n; ++k) {
    if (k < n && word_of(first[k]) >> shift == word_of(first[begin]) >> shift) continue;
    if (k - begin > 1) guarded_stable_sort(first + begin, k - begin, less);
    begin = k;
  }
}

/// Sorts `n` elements by word_of(element), an unsigned integer; equal ones keep their order. Takes room for as many; returns
/// false if there is none, and has changed nothing then. Budget: a pass to count, and one for each digit that is needed.
template <class T, class Word>
bool sort_by_digits(T* first, std::size_t n, const Word& word_of) {
  constexpr std::size_t digits = sizeof(word_of(*first));
  const auto value = [&word_of](const T& e, std::size_t d) { return std::size_t(word_of(e) >> 8 * d) % digit_values; };
  const std::unique_ptr<std::size_t[]> counts(new (std::nothrow) std::size_t[digits * digit_values]());
  const merge_room<T> room(first, n);
  if (counts == nullptr || room.begin() == nullptr) return false;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t d = 0; d < digits; ++d) ++counts[d * digit_values + value(first[k], d)];
  const std::size_t lowest = lowest_digit_to_deal(counts.get(), digits, n);
  T *here = first, *there = room.begin();
  for (std::size_t d = lowest; d < digits; ++d) {
    std::size_t* const next = &counts[d * digit_values];
    if (next[value(here[0], d)] == n) continue;
    std::size_t before = 0;
    for (std::size_t v = 0; v < digit_values; ++v) before += std::exchange(next[v], before);
    for (std::size_t k = 0; k < n; ++k) {
      const T e = here[k];
      there[next[value(e, d)]++] = e;
    }
    std::swap(here, there);
  }
  if (here != first) std::memcpy(static_cast<void*>(first), here, n * sizeof(T));
  if (lowest > 0) sort_alike(first, n, unsigned(8 * lowest), word_of);
  return true;
}

}  // namespace armilla::detail
