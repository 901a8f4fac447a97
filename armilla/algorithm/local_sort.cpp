// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/local_sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

namespace armilla::detail {

template <class Number>
void sort_numbers(Number* first, std::size_t n, bool ascending) {
  const hwy::Sorter sort;
  if (ascending)
    sort(first, n, hwy::SortAscending());
  else
    sort(first, n, hwy::SortDescending());
}

template void sort_numbers(std::int16_t*, std::size_t, bool);
template void sort_numbers(std::uint16_t*, std::size_t, bool);
template void sort_numbers(std::int32_t*, std::size_t, bool);
template void sort_numbers(std::uint32_t*, std::size_t, bool);
template void sort_numbers(std::int64_t*, std::size_t, bool);
template void sort_numbers(std::uint64_t*, std::size_t, bool);
template void sort_numbers(float*, std::size_t, bool);
template void sort_numbers(double*, std::size_t, bool);

}  // namespace armilla::detail
