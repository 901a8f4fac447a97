// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/compaction.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/linear_algebra.hpp"
#include "armilla/moves.hpp"
#include "armilla/scan.hpp"
#include "armilla/sorted_ranges.hpp"
#include "armilla/stencil.hpp"

/// Algorithms without the agreement at the end: with `am::nowait` as the first argument, a rank continues when it has done its
/// own elements.
///
/// Use it for several algorithms in a row that work on each rank's own elements. Algorithms that write a range have such a form:
/// elementwise ones, moves, scans, `copy_if` and the like, merges, set operations, stencils and products. Those whose result all
/// members make together at the end do not: folds, searches, sorts, those by key, those that make a vector or make it shorter,
/// and those of graphs.
///
///     am::vector<double> x(1000), y(1000);
///     am::fill(am::nowait, x, 1.0);                             // each rank its own elements
///     am::fill(am::nowait, y, 2.0);
///     am::barrier();                                            // now all ranks see both
///
/// **Complete.** What others have written is visible after the team's next agreement (an algorithm without `nowait`, or the
/// construction of a container), or after a barrier. Until then the inputs must not change, because others may still read them.
///
/// **Errors.** The team's next agreement, or the next fence of the team or of all ranks, throws what a function threw, whichever
/// comes first.
///
/// **Cost.** As without `nowait`, less the agreement. Collectives that an algorithm needs on its way remain: one at the beginning
/// for two ranges with different borders, one in the middle for a scan or `copy_if`.
namespace armilla {

template <distributed_range R, class... A>
void for_each(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::for_each(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void for_each_n(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::for_each_n(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void for_each_index(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::for_each_index(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void transform(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::transform(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void copy_n(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::copy_n(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void fill(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::fill(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void fill_n(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::fill_n(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void generate(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::generate(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void generate_n(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::generate_n(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void iota(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::iota(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void replace(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::replace(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void replace_if(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::replace_if(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void replace_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::replace_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void replace_copy_if(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::replace_copy_if(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void swap_ranges(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::swap_ranges(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void reverse(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::reverse(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void reverse_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::reverse_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void inclusive_scan(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::inclusive_scan(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void exclusive_scan(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::exclusive_scan(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void transform_inclusive_scan(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::transform_inclusive_scan(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void transform_exclusive_scan(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::transform_exclusive_scan(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void partial_sum(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::partial_sum(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto copy_if(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::copy_if(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto remove_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::remove_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto remove_copy_if(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::remove_copy_if(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto unique_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::unique_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void merge(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::merge(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto rotate(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::rotate(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void rotate_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::rotate_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto shift_left(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::shift_left(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto shift_right(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::shift_right(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void shuffle(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::shuffle(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto sample(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::sample(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void inclusive_scan_by_key(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::inclusive_scan_by_key(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void adjacent_difference(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::adjacent_difference(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto stable_partition(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::stable_partition(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto partition(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::partition(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto partition_copy(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::partition_copy(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
void inplace_merge(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  armilla::inplace_merge(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto set_union(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::set_union(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto set_intersection(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::set_intersection(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto set_difference(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::set_difference(std::forward<R>(r), std::forward<A>(arguments)...);
}
template <distributed_range R, class... A>
auto set_symmetric_difference(nowait_t, R&& r, A&&... arguments) {
  const detail::without_end here;
  return armilla::set_symmetric_difference(std::forward<R>(r), std::forward<A>(arguments)...);
}

/// Ranks wait for their neighbors only. Until the members' next collective, only stencils may write the input.
template <class T, std::size_t N, class... A>
void stencil(nowait_t, matrix<T, N>& in, A&&... arguments) {
  const detail::without_end here;
  armilla::stencil(in, std::forward<A>(arguments)...);
}

/// Products. One whose vector is redistributed on the way needs a collective for that.
template <class... A>
void transpose(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::transpose(std::forward<A>(arguments)...);
}
template <class... A>
void gemm(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::gemm(std::forward<A>(arguments)...);
}
template <class... A>
void axpy(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::axpy(std::forward<A>(arguments)...);
}
template <class... A>
void axpby(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::axpby(std::forward<A>(arguments)...);
}
template <class... A>
void gemv(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::gemv(std::forward<A>(arguments)...);
}
template <class... A>
void spmv(nowait_t, A&&... arguments) {
  const detail::without_end here;
  armilla::spmv(std::forward<A>(arguments)...);
}

}  // namespace armilla
