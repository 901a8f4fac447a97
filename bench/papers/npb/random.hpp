// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace npb {

/// The random numbers of the NAS parallel benchmarks: x(k+1) = a x(k) mod 2^46 with a = 5^13; a number of (0, 1) is x / 2^46. The
/// low 46 bits of a product of 64-bit words are all that is needed.
class generator {
 public:
  static constexpr std::uint64_t multiplier = 1'220'703'125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t(1) << 46) - 1;

  /// The sequence whose x(0) is 314159265, from its number `first` on: the first that `next` gives is x(first + 1).
  explicit generator(std::uint64_t first = 0) noexcept : x_(314'159'265) {
    for (std::uint64_t power = multiplier; first != 0; first >>= 1, power = power * power & mask)
      if ((first & 1) != 0) x_ = x_ * power & mask;
  }

  /// In units of 2^-46.
  std::uint64_t next_integer() noexcept { return x_ = x_ * multiplier & mask; }
  double next() noexcept { return double(next_integer()) * 0x1p-46; }

 private:
  std::uint64_t x_;
};

/// The first of `n` things that the rank with this number has; the last ends where those of the next rank begin.
constexpr std::uint64_t first_of(std::uint64_t n, int rank, int ranks) noexcept {
  return n * std::uint64_t(rank) / std::uint64_t(ranks);
}

}  // namespace npb
