// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
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

inline std::vector<std::uint32_t> equal_keys(std::size_t, std::size_t n) { return std::vector<std::uint32_t>(n, 17); }

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
