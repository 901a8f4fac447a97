// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/local_sort.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

template <class Number>
void sort_numbers(Number* first, std::size_t n, bool ascending) {
  const hwy::Sorter sort;
  if (ascending)
    sort(first, n, hwy::SortAscending());
  else
    sort(first, n, hwy::SortDescending());
}
template <>
void sort_numbers(signed char* first, std::size_t n, bool ascending) {
  sort_bytes(first, n, ascending);
}
template <>
void sort_numbers(unsigned char* first, std::size_t n, bool ascending) {
  sort_bytes(first, n, ascending);
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
template void sort_numbers(float*, std::size_t, bool);
template void sort_numbers(double*, std::size_t, bool);
template void stable_sort_numbers(float*, std::size_t, bool);
template void stable_sort_numbers(double*, std::size_t, bool);

}  // namespace armilla::detail
