// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/dialect/stapl_algorithms.hpp"

/// Every algorithm of the library under its `p_` name, for STAPL's containers and ranges as for the library's own:
///
///     stapl::p_transform(v, w, [](int x) { return 2 * x; });
///     const auto [least, greatest] = stapl::p_minmax(w);
///
/// What it does, when it is complete, errors and cost are those of `armilla::transform` and so on. Arguments that C++ deduces
/// from a default, as `{}`, must be named. `p_sort p_copy p_find p_merge p_inner_product p_for_each p_accumulate` are in
/// `stapl.hpp`. Paper: STAPL, section 2 (pAlgorithms, "parallel equivalents of the STL algorithms").
namespace armilla::stapl {
namespace detail {

/// The argument that an algorithm of the library gets for `x`.
template <class X>
decltype(auto) library_form(X&& x) {
  if constexpr (pcontainer<X>)
    return x.elements();
  else
    return std::forward<X>(x);
}

}  // namespace detail

#define ARMILLA_STAPL_P(algorithm)                                                                   \
  inline constexpr auto p_##algorithm = []<class... A>(A&&... arguments) -> decltype(auto)           \
    requires requires { ::armilla::algorithm(detail::library_form(std::forward<A>(arguments))...); } \
  { return ::armilla::algorithm(detail::library_form(std::forward<A>(arguments))...); }

ARMILLA_STAPL_P(adjacent_difference);
ARMILLA_STAPL_P(adjacent_find);
ARMILLA_STAPL_P(all_of);
ARMILLA_STAPL_P(anti_join);
ARMILLA_STAPL_P(any_of);
ARMILLA_STAPL_P(argsort);
ARMILLA_STAPL_P(axpby);
ARMILLA_STAPL_P(axpy);
ARMILLA_STAPL_P(betweenness);
ARMILLA_STAPL_P(bfs);
ARMILLA_STAPL_P(binary_search);
ARMILLA_STAPL_P(components);
ARMILLA_STAPL_P(contains);
ARMILLA_STAPL_P(copy_if);
ARMILLA_STAPL_P(copy_n);
ARMILLA_STAPL_P(count);
ARMILLA_STAPL_P(count_by_key);
ARMILLA_STAPL_P(count_if);
ARMILLA_STAPL_P(dfs);
ARMILLA_STAPL_P(ends_with);
ARMILLA_STAPL_P(equal);
ARMILLA_STAPL_P(equal_range);
ARMILLA_STAPL_P(exclusive_scan);
ARMILLA_STAPL_P(fill);
ARMILLA_STAPL_P(fill_n);
ARMILLA_STAPL_P(find_end);
ARMILLA_STAPL_P(find_first_of);
ARMILLA_STAPL_P(find_if);
ARMILLA_STAPL_P(find_if_not);
ARMILLA_STAPL_P(find_last);
ARMILLA_STAPL_P(find_last_if);
ARMILLA_STAPL_P(fold_left);
ARMILLA_STAPL_P(for_each_index);
ARMILLA_STAPL_P(for_each_n);
ARMILLA_STAPL_P(gather);
ARMILLA_STAPL_P(gemm);
ARMILLA_STAPL_P(gemv);
ARMILLA_STAPL_P(generate);
ARMILLA_STAPL_P(generate_n);
ARMILLA_STAPL_P(group_by);
ARMILLA_STAPL_P(histogram);
ARMILLA_STAPL_P(includes);
ARMILLA_STAPL_P(inclusive_scan);
ARMILLA_STAPL_P(inclusive_scan_by_key);
ARMILLA_STAPL_P(inplace_merge);
ARMILLA_STAPL_P(iota);
ARMILLA_STAPL_P(is_partitioned);
ARMILLA_STAPL_P(is_permutation);
ARMILLA_STAPL_P(is_sorted);
ARMILLA_STAPL_P(is_sorted_until);
ARMILLA_STAPL_P(join);
ARMILLA_STAPL_P(k_core);
ARMILLA_STAPL_P(label_propagation);
ARMILLA_STAPL_P(left_join);
ARMILLA_STAPL_P(lexicographical_compare);
ARMILLA_STAPL_P(lower_bound);
ARMILLA_STAPL_P(max);
ARMILLA_STAPL_P(max_element);
ARMILLA_STAPL_P(mean);
ARMILLA_STAPL_P(min);
ARMILLA_STAPL_P(min_element);
ARMILLA_STAPL_P(minimum_spanning_forest);
ARMILLA_STAPL_P(minmax);
ARMILLA_STAPL_P(minmax_element);
ARMILLA_STAPL_P(mismatch);
ARMILLA_STAPL_P(none_of);
ARMILLA_STAPL_P(norm);
ARMILLA_STAPL_P(nth_element);
ARMILLA_STAPL_P(pack);
ARMILLA_STAPL_P(pack_index);
ARMILLA_STAPL_P(pagerank);
ARMILLA_STAPL_P(partial_sort);
ARMILLA_STAPL_P(partial_sort_copy);
ARMILLA_STAPL_P(partial_sum);
ARMILLA_STAPL_P(partition);
ARMILLA_STAPL_P(partition_copy);
ARMILLA_STAPL_P(partition_point);
ARMILLA_STAPL_P(reduce);
ARMILLA_STAPL_P(reduce_by_key);
ARMILLA_STAPL_P(remove);
ARMILLA_STAPL_P(remove_copy);
ARMILLA_STAPL_P(remove_copy_if);
ARMILLA_STAPL_P(remove_if);
ARMILLA_STAPL_P(replace);
ARMILLA_STAPL_P(replace_copy);
ARMILLA_STAPL_P(replace_copy_if);
ARMILLA_STAPL_P(replace_if);
ARMILLA_STAPL_P(reverse);
ARMILLA_STAPL_P(reverse_copy);
ARMILLA_STAPL_P(rotate);
ARMILLA_STAPL_P(rotate_copy);
ARMILLA_STAPL_P(sample);
ARMILLA_STAPL_P(scatter);
ARMILLA_STAPL_P(scatter_add);
ARMILLA_STAPL_P(search);
ARMILLA_STAPL_P(search_n);
ARMILLA_STAPL_P(semi_join);
ARMILLA_STAPL_P(set_difference);
ARMILLA_STAPL_P(set_intersection);
ARMILLA_STAPL_P(set_symmetric_difference);
ARMILLA_STAPL_P(set_union);
ARMILLA_STAPL_P(shift_left);
ARMILLA_STAPL_P(shift_right);
ARMILLA_STAPL_P(shuffle);
ARMILLA_STAPL_P(sort_by_key);
ARMILLA_STAPL_P(spmv);
ARMILLA_STAPL_P(sssp);
ARMILLA_STAPL_P(stable_partition);
ARMILLA_STAPL_P(stable_sort);
ARMILLA_STAPL_P(starts_with);
ARMILLA_STAPL_P(stencil);
ARMILLA_STAPL_P(swap_ranges);
ARMILLA_STAPL_P(top_k);
ARMILLA_STAPL_P(transform);
ARMILLA_STAPL_P(transform_exclusive_scan);
ARMILLA_STAPL_P(transform_inclusive_scan);
ARMILLA_STAPL_P(transform_reduce);
ARMILLA_STAPL_P(transpose);
ARMILLA_STAPL_P(triangles);
ARMILLA_STAPL_P(unique);
ARMILLA_STAPL_P(unique_by_key);
ARMILLA_STAPL_P(unique_copy);
ARMILLA_STAPL_P(upper_bound);

#undef ARMILLA_STAPL_P

}  // namespace armilla::stapl
