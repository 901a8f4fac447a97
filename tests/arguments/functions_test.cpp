// SPDX-License-Identifier: Apache-2.0
// Algorithms that are given null pointers to functions.
#include <armilla/algorithms.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace edges;

EDGES(functions_of_algorithms_that_are_not_there, for_each, transform, generate, replace_if, copy_if, remove_if, partition,
      unique, pack, find_if, all_of, reduce, min_element, sort, stable_sort, nth_element, inclusive_scan, merge, lower_bound,
      count_by_key, pack_index, remove_copy_if, replace_copy_if, stable_partition, unique_copy, partition_copy, for_each_index,
      for_each_n, generate_n, transform_reduce, fold_left, accumulate, max_element, minmax_element, exclusive_scan,
      transform_inclusive_scan, transform_exclusive_scan, set_difference, any_of, none_of, count_if, find_if_not, find_last_if,
      is_partitioned, is_sorted, adjacent_find, mismatch, equal, partial_sort, partial_sort_copy, views::transform, views::filter,
      views::zip_transform, is_sorted_until, find_end, search_n, lexicographical_compare) {
  am::vector<double> x(10, 1.0), y(10, 2.0), z(20);
  bool (*const is)(const double&) = nullptr;
  bool (*const less)(const double&, const double&) = nullptr;
  double (*const of)(const double&) = nullptr;
  double (*const op)(const double&, const double&) = nullptr;
  void (*const run)(double&) = nullptr;
  double (*const make)() = nullptr;
  REFUSED(no_function, am::for_each(x, run));
  REFUSED(no_function, am::for_each(x, std::function<void(double&)>()));
  REFUSED(no_function, am::transform(x, y, of));
  REFUSED(no_function, am::generate(x, make));
  REFUSED(no_function, am::replace_if(x, is, 1.0));
  REFUSED(no_function, am::copy_if(x, z, is));
  REFUSED(no_function, am::remove_if(x, is));
  REFUSED(no_function, am::partition(x, is));
  REFUSED(no_function, am::unique(x, less));
  REFUSED(no_function, am::pack(x, is));
  REFUSED(no_function, am::find_if(x, is));
  REFUSED(no_function, am::all_of(x, is));
  REFUSED(no_function, am::reduce(x, 0.0, op));
  REFUSED(no_function, am::min_element(x, less));
  REFUSED(no_function, am::sort(x, less));
  REFUSED(no_function, am::sort(x, std::less<>{}, of));
  REFUSED(no_function, am::stable_sort(x, std::function<bool(double, double)>()));
  REFUSED(no_function, am::nth_element(x, 1, less));
  REFUSED(no_function, am::inclusive_scan(x, y, op));
  REFUSED(no_function, am::merge(x, y, z, less));
  REFUSED(no_function, am::lower_bound(x, 1.0, less));
  REFUSED(no_function, am::count_by_key(x, of));
  REFUSED(no_function, am::pack_index(x, is));
  REFUSED(no_function, am::remove_copy_if(x, z, is));
  REFUSED(no_function, am::replace_copy_if(x, y, is, 1.0));
  REFUSED(no_function, am::stable_partition(x, is));
  REFUSED(no_function, am::unique_copy(x, z, less));
  REFUSED(no_function, am::partition_copy(x, y, z, is));
  void (*const by_index)(std::size_t, double&) = nullptr;
  REFUSED(no_function, am::for_each_index(x, by_index));
  REFUSED(no_function, am::for_each_n(x, 3, run));
  REFUSED(no_function, am::generate_n(x, 3, make));
  REFUSED(no_function, am::transform_reduce(x, 0.0, op, std::identity{}));
  REFUSED(no_function, am::transform_reduce(x, 0.0, std::plus<>{}, of));
  REFUSED(no_function, am::fold_left(x, 0.0, op));
  REFUSED(no_function, am::accumulate(x, 0.0, op));
  REFUSED(no_function, am::max_element(x, less));
  REFUSED(no_function, am::minmax_element(x, less));
  REFUSED(no_function, am::exclusive_scan(x, y, 0.0, op));
  REFUSED(no_function, am::transform_inclusive_scan(x, y, std::plus<>{}, of));
  REFUSED(no_function, am::transform_exclusive_scan(x, y, 0.0, std::plus<>{}, of));
  REFUSED(no_function, am::set_difference(x, y, z, less));
  REFUSED(no_function, am::any_of(x, is));
  REFUSED(no_function, am::none_of(x, is));
  REFUSED(no_function, am::count_if(x, is));
  REFUSED(no_function, am::find_if_not(x, is));
  REFUSED(no_function, am::find_last_if(x, is));
  REFUSED(no_function, am::is_partitioned(x, is));
  REFUSED(no_function, am::is_sorted(x, less));
  REFUSED(no_function, am::adjacent_find(x, less));
  REFUSED(no_function, am::mismatch(x, y, less));
  REFUSED(no_function, am::equal(x, y, less));
  REFUSED(no_function, am::partial_sort(x, 2, less));
  REFUSED(no_function, am::partial_sort_copy(x, y, less));
  REFUSED(no_function, am::views::transform(x, of));
  REFUSED(no_function, am::views::filter(x, is));
  REFUSED(no_function, am::views::zip_transform(op, x, y));
  REFUSED(no_function, am::is_sorted_until(x, less));
  REFUSED(no_function, am::find_end(x, std::vector<double>{1}, less));
  REFUSED(no_function, am::search_n(x, 2, 1.0, less));
  REFUSED(no_function, am::lexicographical_compare(x, y, less));
  EXPECT_EQ(am::reduce(x), 10.0);
}
