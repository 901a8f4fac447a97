// SPDX-License-Identifier: Apache-2.0
// Sorts of numbers, so that no program compiles them.
#include "armilla/algorithm/order/sort_loops.hpp"

namespace armilla::detail {
namespace {

template <class T, number_order Meant>
struct order_of_numbers {
  static constexpr number_order meant = Meant;
  bool operator()(const T& a, const T& b) const { return number_comes_first<Meant>(a, b); }
};

}  // namespace

template <class Number>
const sort_functions& number_sort(bool ascending) {
  return ascending ? sort_loops<Number, order_of_numbers<Number, number_order::ascending>>::functions
                   : sort_loops<Number, order_of_numbers<Number, number_order::descending>>::functions;
}

template const sort_functions& number_sort<signed char>(bool);
template const sort_functions& number_sort<unsigned char>(bool);
template const sort_functions& number_sort<std::int16_t>(bool);
template const sort_functions& number_sort<std::uint16_t>(bool);
template const sort_functions& number_sort<std::int32_t>(bool);
template const sort_functions& number_sort<std::uint32_t>(bool);
template const sort_functions& number_sort<std::int64_t>(bool);
template const sort_functions& number_sort<std::uint64_t>(bool);
template const sort_functions& number_sort<float>(bool);
template const sort_functions& number_sort<double>(bool);

}  // namespace armilla::detail
