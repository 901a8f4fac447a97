// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/local_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

#include <hwy/contrib/sort/vqsort.h>

namespace armilla::detail {
namespace {

template <class Byte>
void sort_bytes(Byte* first, std::size_t n, bool ascending) {
  constexpr int least = std::numeric_limits<Byte>::min(), values = 256;
  std::array<std::size_t, values> count{};
  for (std::size_t k = 0; k < n; ++k) ++count[std::size_t(first[k] - least)];
  for (int v = 0; v < values; ++v) {
    const int value = ascending ? v : values - 1 - v;
    first = std::fill_n(first, count[std::size_t(value)], Byte(value + least));
  }
}

/// Bits of floating-point numbers as unsigned integers that ascend as the numbers do: the sign is turned round, and of negative
/// ones all bits. NaNs of a negative sign are then below all numbers. One subtraction, from which integers wrap around, brings
/// them behind the other NaNs.
template <class Bits>
struct floating_keys {
  static constexpr unsigned top = 8 * sizeof(Bits) - 1;
  static constexpr Bits sign = Bits{1} << top;
  static constexpr Bits infinity = sizeof(Bits) == 4 ? Bits(0x7f800000) : Bits(0x7ff0000000000000);
  static constexpr Bits least = Bits(~(sign | infinity)), greatest = sign | infinity;  // of both infinities

  static Bits ordered(Bits b) noexcept { return b ^ (Bits(Bits{0} - (b >> top)) | sign); }
  static Bits restored(Bits b) noexcept { return b ^ (Bits((b >> top) - Bits{1}) | sign); }
};

/// Replaces each number by change(its bits). Budget: vector instructions.
template <class Bits, class Number, class Change>
void change_bits(Number* first, std::size_t n, Change change) {
  for (std::size_t k = 0; k < n; ++k) {
    Bits b;
    std::memcpy(&b, first + k, sizeof b);
    b = change(b);
    std::memcpy(first + k, &b, sizeof b);
  }
}

/// Processors that store the lanes of a mask one by one: sorts of Highway that do not know them take four times as long as others
/// for numbers of four bytes.
bool stores_masks_slowly() noexcept {
#if defined(__x86_64__) && !defined(HWY_AVX3_ZEN4)
  static const bool zen_4 = __builtin_cpu_is("amdfam19h") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  return zen_4;
#else
  return false;
#endif
}

/// Divides until the pieces are in a cache, and sorts these digit by digit. `depth`: so often a bad choice of the middle is put
/// up with.
template <class Number>
void sort_in_pieces(Number* first, std::size_t n, int depth) {
  constexpr std::size_t piece = std::size_t{1} << 17, looked_at = 31;
  while (n > piece && depth-- > 0) {
    std::array<Number, looked_at> sample;
    for (std::size_t k = 0; k < looked_at; ++k) sample[k] = first[n / looked_at * k + n / (2 * looked_at)];
    std::nth_element(sample.begin(), sample.begin() + looked_at / 2, sample.end());
    const Number middle = sample[looked_at / 2];
    const std::size_t left = split_by_copies(first, n, [middle](Number e) { return e < middle; });
    sort_in_pieces(first, left, depth);
    first += left, n -= left;
    if (left >= n / 8) continue;
    const std::size_t equal = split_by_copies(first, n, [middle](Number e) { return e == middle; });
    first += equal, n -= equal;
  }
  const auto word_of = [](Number e) { return word_of_number<number_order::ascending>(e); };
  if (n > piece || n < few_for_digits || !sort_by_digits(first, n, word_of)) {
    const hwy::Sorter sort;
    sort(first, n, hwy::SortAscending());
  }
}

/// Sorts integers of two bytes and more.
template <class Integer>
void sort_integers(Integer* first, std::size_t n, bool ascending) {
  if (sizeof(Integer) == 4 && n >= few_for_digits && stores_masks_slowly()) {
    sort_in_pieces(first, n, 2 * int(std::bit_width(n)));
    if (!ascending) std::reverse(first, first + n);
    return;
  }
  const hwy::Sorter sort;
  if (ascending)
    sort(first, n, hwy::SortAscending());
  else
    sort(first, n, hwy::SortDescending());
}

template <class Bits, std::floating_point Number>
void sort_by_keys(Number* first, std::size_t n, bool ascending) {
  using keys = floating_keys<Bits>;
  if (ascending)
    change_bits<Bits>(first, n, [](Bits b) { return Bits(keys::ordered(b) - keys::least); });
  else
    change_bits<Bits>(first, n, [](Bits b) { return Bits(keys::greatest - keys::ordered(b)); });
  sort_integers(reinterpret_cast<Bits*>(first), n, true);
  if (ascending)
    change_bits<Bits>(first, n, [](Bits b) { return keys::restored(Bits(b + keys::least)); });
  else
    change_bits<Bits>(first, n, [](Bits b) { return keys::restored(Bits(keys::greatest - b)); });
}

}  // namespace

template <class Number>
void sort_numbers(Number* first, std::size_t n, bool ascending) {
  sort_integers(first, n, ascending);
}
template <>
void sort_numbers(signed char* first, std::size_t n, bool ascending) {
  sort_bytes(first, n, ascending);
}
template <>
void sort_numbers(unsigned char* first, std::size_t n, bool ascending) {
  sort_bytes(first, n, ascending);
}

// A vector sort of floating-point numbers takes the lesser of two, and gives +0.0 twice for both zeros.
template <>
void sort_numbers(float* first, std::size_t n, bool ascending) {
  sort_by_keys<std::uint32_t>(first, n, ascending);
}
template <>
void sort_numbers(double* first, std::size_t n, bool ascending) {
  sort_by_keys<std::uint64_t>(first, n, ascending);
}

template <class Number>
void stable_sort_numbers(Number* first, std::size_t n, bool ascending) {
  if (ascending)
    std::stable_sort(first, first + n, number_comes_first<number_order::ascending, Number>);
  else
    std::stable_sort(first, first + n, number_comes_first<number_order::descending, Number>);
}

template void sort_numbers(std::int16_t*, std::size_t, bool);
template void sort_numbers(std::uint16_t*, std::size_t, bool);
template void sort_numbers(std::int32_t*, std::size_t, bool);
template void sort_numbers(std::uint32_t*, std::size_t, bool);
template void sort_numbers(std::int64_t*, std::size_t, bool);
template void sort_numbers(std::uint64_t*, std::size_t, bool);
template void stable_sort_numbers(float*, std::size_t, bool);
template void stable_sort_numbers(double*, std::size_t, bool);

}  // namespace armilla::detail
