// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/algorithm/elementwise.hpp"
#include "armilla/container/array.hpp"

/// What moves of elements do inside.
namespace armilla::detail {

/// The elements of `v`, from index `middle` on, then those before, in blocks beside it.
template <class V>
array<typename V::value_type> rotated(const V& v, std::size_t middle, std::size_t n) {
  array<typename V::value_type> copied(n, on(v.members()));
  armilla::copy(views::slice(v, middle, n), copied);
  armilla::copy(views::take(v, middle), views::drop(copied, n - middle));
  return copied;
}

[[noreturn, gnu::cold]] void throw_beyond(const char* operation, std::size_t index, std::size_t size);

inline void require_index(const char* operation, std::size_t index, std::size_t size) {
  if (index > size) [[unlikely]]
    throw_beyond(operation, index, size);
}

/// A number that depends on seed and index only, and looks drawn.
inline std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// `k` of the numbers below `n`, ascending, each set with one probability. Paper: Bentley, Floyd, A sample of brilliance.
std::vector<std::size_t> drawn_indices(std::size_t n, std::size_t k, std::uint64_t seed);

template <class T>
struct drawn_element {
  std::uint64_t key;
  T value;
};

}  // namespace armilla::detail
