// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/fiber/parfor_inline.hpp"

namespace armilla {

/// Runs `f(i)` for each i of [first, last) as if all at once, and returns when all have ended.
///
/// Use it for loops whose iterations wait for other ranks: their waits overlap. Nothing runs in parallel, for a rank has one
/// thread.
///
///     am::parfor(0, n, [&](int i) { x[i] = *remote[i]; });        // n remote reads overlap
///
/// **How.** Iterations run one after the other on the calling fiber until one waits; the rest then continues concurrently with
/// it, on a fiber from the pool. So a loop that never waits costs no more than a plain one with a call for each `grain`. Of a
/// loop that waits in each iteration up to 1,024 wait at a time: iterations that wait for later ones must be no further apart.
/// `grain` iterations stay together: they run one after the other even if one waits. Remote accesses of iterations are sent
/// together: before one leaves, no more iterations begin than had begun before it.
///
/// **Errors.** An exception does not end the other iterations; the first one is thrown when all have ended.
///
/// **Cost.** Two switches for an iteration that waits, no allocation.
///
/// Paper: CC++ (parfor); MRPC, section 6 (prefetch: 20 overlapping reads).
template <std::integral A, std::integral B, class F>
  requires std::invocable<F&, std::common_type_t<A, B>>
void parfor(A first, B last, F&& f, std::common_type_t<A, B> grain = 1) {
  using index = std::common_type_t<A, B>;
  detail::require_function(f, "parfor");
  if (grain < 1) [[unlikely]]
    detail::throw_no_grain();
  if (std::cmp_less(first, last)) detail::index_loop<index, std::remove_reference_t<F>>(index(first), index(last), f, grain);
}

/// Runs `f(e)` for each element of a range that can be traversed more than once, in the same way.
template <class Range, class F>
  requires requires(Range& range, F& f) { f(*std::begin(range)); }
void parfor(Range&& range, F&& f, std::size_t grain = 1) {
  detail::require_function(f, "parfor");
  if (grain < 1) [[unlikely]]
    detail::throw_no_grain();
  auto first = std::begin(range);
  auto last = std::end(range);
  detail::range_loop<decltype(first), decltype(last), std::remove_reference_t<F>>(std::move(first), std::move(last), f, grain);
}

/// Runs blocks as if all at once, and returns when all have ended.
///
///     am::par([&] { left(); }, [&] { right(); });
///
/// The first one runs on the calling fiber until it waits, then the second one, and so on, as in `parfor`. The first exception is
/// thrown when all have ended.
///
/// Paper: CC++ (par); MRPC, section 2.
template <class... F>
  requires(sizeof...(F) > 0 && (std::invocable<F&> && ...))
void par(F&&... blocks) {
  (detail::require_function(blocks, "par"), ...);
  [](const auto&... each) {
    const detail::block* const all[] = {&each...};
    detail::run_blocks(all, sizeof...(F));
  }(detail::block_of<std::remove_reference_t<F>>(blocks)...);
}

}  // namespace armilla
