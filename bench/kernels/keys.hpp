// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstring>
#include <vector>

/// Keys [first, first + n) of a random sequence: the same however they are dealt.
namespace bench {

inline std::uint64_t random_bits(std::uint64_t i) {  // splitmix64
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class T>
std::vector<T> uniform_keys(std::size_t first, std::size_t n) {
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = T(random_bits(first + i) >> 32);
  return keys;
}

/// As many between 1 and 2 as between 2^31 and 2^32.
inline std::vector<std::uint32_t> log_uniform_keys(std::size_t first, std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = std::uint32_t(std::exp2(double(random_bits(first + i) >> 11) * 0x1p-53 * 32));
  return keys;
}

inline std::vector<std::uint32_t> equal_keys(std::size_t, std::size_t n) { return std::vector<std::uint32_t>(n, 17); }

// Inputs that are hard for a sort that deals keys by splitters.

/// A thousand distinct ones.
inline std::vector<std::uint32_t> few_keys(std::size_t first, std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = std::uint32_t(random_bits(first + i) % 1000 * 4'000'000);
  return keys;
}
/// Every other one is the same.
inline std::vector<std::uint32_t> half_equal_keys(std::size_t first, std::size_t n) {
  std::vector<std::uint32_t> keys = uniform_keys<std::uint32_t>(first, n);
  for (std::size_t i = 0; i < n; ++i)
    if (random_bits(first + i) % 2 == 0) keys[i] = 1'000'000'007;
  return keys;
}
inline std::vector<std::uint32_t> rising_keys(std::size_t first, std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = std::uint32_t(first + i);
  return keys;
}
inline std::vector<std::uint32_t> falling_keys(std::size_t first, std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = ~std::uint32_t(first + i);
  return keys;
}

struct keyed {
  std::uint64_t key, value;
  friend auto operator<=>(const keyed& a, const keyed& b) { return a.key <=> b.key; }
  friend bool operator==(const keyed& a, const keyed& b) { return a.key == b.key; }
};
inline std::vector<keyed> keyed_keys(std::size_t first, std::size_t n) {
  std::vector<keyed> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = {random_bits(first + i), first + i};
  return keys;
}

/// Sixteen letters.
struct letters {
  char text[16];
  friend std::strong_ordering operator<=>(const letters& a, const letters& b) {
    return std::memcmp(a.text, b.text, sizeof a.text) <=> 0;
  }
  friend bool operator==(const letters& a, const letters& b) { return (a <=> b) == 0; }
};
inline std::vector<letters> letter_keys(std::size_t first, std::size_t n) {
  std::vector<letters> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random_bits(first + i);
    for (char& c : keys[i].text) c = char('a' + (bits & 15)), bits >>= 4;
  }
  return keys;
}

/// Elements [first, first + n) of the inputs of a join, whose keys are below `keys`. The left one begins at 0, the right one at
/// `keys`.
inline std::vector<keyed> join_keys(std::size_t first, std::size_t n, std::size_t keys) {
  std::vector<keyed> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {random_bits(first + i) % keys, first + i};
  return all;
}
/// Of `n` elements each.
inline std::size_t size_of_join(std::size_t n) {
  std::vector<std::uint8_t> left(n);
  for (std::size_t i = 0; i < n; ++i) ++left[random_bits(i) % n];
  std::size_t all = 0;
  for (std::size_t i = n; i < 2 * n; ++i) all += left[random_bits(i) % n];
  return all;
}

}  // namespace bench
