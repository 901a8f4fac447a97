// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/algorithm/order/moves_inline.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/sort.hpp"

/// Algorithms that move elements to other indices: `reverse`, `rotate`, `shift_left`, `shuffle` and the like.
///
/// All members of the range's team call them.
///
///     am::rotate(x, 10);                       // x[10] comes first
///     am::shuffle(x, 42);                      // the same order on any number of ranks
///
/// **How.** The member that has the destination of an element reads it where it is: one collective before, one agreement at the
/// end. Algorithms in place copy into blocks first, except `reverse` of elements in blocks.
///
/// **Errors.** Throws `usage_error` on all members for an index beyond the end, and for an output that has too few elements.
namespace armilla {

/// Reverses the order of the elements.
///
/// Cost: the member that has the element in the first half exchanges each pair. With a cyclic distribution, elements are copied
/// instead, with room for half of them.
template <distributed_range R>
void reverse(R&& r);

/// Copies the elements in reverse order.
template <distributed_range In, distributed_range Out>
void reverse_copy(In&& in, Out&& out) {
  const detail::algorithm_call all("reverse_copy");
  const detail::without_end last(all);
  armilla::copy(views::reverse(detail::require_sized(detail::reading(in))), views::all(out));
}

/// Moves the elements from index `middle` on to the front, and those before it to the end. Returns the index of the element that
/// was first. Cost: room for a second copy of all elements, two copies.
template <distributed_range R>
std::size_t rotate(R&& r, std::size_t middle);

/// Copies the elements in rotated order into a range that shares no element with `in`.
template <distributed_range In, distributed_range Out>
void rotate_copy(In&& in, std::size_t middle, Out&& out);

/// Moves elements `by` indices towards the front. The first ones are lost, and the last `by` stay as they are.
///
/// Returns the number of elements that moved, which is the index after them. If `by` is not less than the size, nothing happens,
/// and it returns 0.
template <distributed_range R>
std::size_t shift_left(R&& r, std::size_t by);

/// Moves elements `by` indices towards the end. The first `by` elements stay as they are.
///
/// Returns the index of the first element that moved. If `by` is not less than the size, nothing happens, and it returns the
/// size.
template <distributed_range R>
std::size_t shift_right(R&& r, std::size_t by);

/// Brings the elements into an order that depends only on `seed` and the size, whatever the number of ranks. Cost: a sort of
/// pairs of a 64-bit number and an element.
template <distributed_range R>
void shuffle(R&& r, std::uint64_t seed);

/// Copies as many elements as `out` has room for, chosen at random without repetition, in the order of their indices. Returns
/// their number.
///
/// The choice depends only on `seed` and the sizes. Throws `usage_error` if the ranges share elements. Cost: each rank draws all
/// indices; an agreement, then one exchange, in which each rank sends the chosen elements that it has.
template <distributed_range In, distributed_range Out>
std::size_t sample(In&& in, Out&& out, std::uint64_t seed);

// ---- Implementation only below ----

template <distributed_range R>
void reverse(R&& r) {
  const detail::algorithm_call all("reverse");
  const auto v = detail::require_sized(views::all(r));
  const std::size_t half = v.extent() / 2;
  const auto first = views::take(v, half);
  const auto last = views::reverse(views::drop(v, v.extent() - half));
  if (v.ordered())
    detail::swap_in_place(all, first, last);
  else
    detail::swap_by_copies(all, first, last);
}

template <distributed_range R>
std::size_t rotate(R&& r, std::size_t middle) {
  const detail::algorithm_call all("rotate");
  const auto v = detail::require_sized(views::all(r));
  detail::require_index("rotate", middle, v.extent());
  const auto rotated = detail::rotated(v.reading(), middle, v.extent());
  const detail::without_end last(all);
  armilla::copy(rotated, v);
  return v.extent() - middle;
}

template <distributed_range In, distributed_range Out>
void rotate_copy(In&& in, std::size_t middle, Out&& out) {
  const detail::algorithm_call all("rotate_copy");
  const auto from = detail::require_sized(detail::reading(in));
  const auto to = detail::require_sized(views::all(out));
  detail::require_index("rotate_copy", middle, from.extent());
  detail::require_room("rotate_copy", from.extent(), to.extent());
  detail::require_apart("rotate_copy", from, from.extent(), to, from.extent());
  {
    const detail::without_end first;  // the other copy ends both
    armilla::copy(views::drop(from, middle), to);
  }
  const detail::without_end last(all);
  armilla::copy(views::take(from, middle), views::drop(to, from.extent() - middle));
}

template <distributed_range R>
std::size_t shift_left(R&& r, std::size_t by) {
  const detail::algorithm_call all("shift_left");
  const auto v = detail::require_sized(views::all(r));
  const std::size_t n = v.extent();
  if (by >= n || by == 0) return by == 0 ? n : 0;
  array<typename std::remove_cvref_t<decltype(v)>::value_type> moved(n - by, on(v.members()));
  armilla::copy(views::drop(v.reading(), by), moved);
  const detail::without_end last(all);
  armilla::copy(std::as_const(moved), v);
  return n - by;
}

template <distributed_range R>
std::size_t shift_right(R&& r, std::size_t by) {
  const detail::algorithm_call all("shift_right");
  const auto v = detail::require_sized(views::all(r));
  const std::size_t n = v.extent();
  if (by >= n || by == 0) return by == 0 ? 0 : n;
  array<typename std::remove_cvref_t<decltype(v)>::value_type> moved(n - by, on(v.members()));
  armilla::copy(views::take(v.reading(), n - by), moved);
  const detail::without_end last(all);
  armilla::copy(std::as_const(moved), views::drop(v, by));
  return by;
}

template <distributed_range R>
void shuffle(R&& r, std::uint64_t seed) {
  const detail::algorithm_call whole("shuffle");
  const auto v = detail::require_sized(views::all(r));
  using T = typename std::remove_cvref_t<decltype(v)>::value_type;
  using element = detail::drawn_element<T>;
  array<element> all(v.extent(), on(v.members()));
  armilla::transform(v.reading(), views::iota(std::size_t{0}, v.extent()), all,
                     [seed](const T& e, std::size_t i) { return element{detail::drawn(seed, i), e}; });
  armilla::stable_sort(all, std::less<>{}, &element::key);
  const detail::without_end last(whole);
  armilla::transform(std::as_const(all), v, &element::value);
}

template <distributed_range In, distributed_range Out>
std::size_t sample(In&& in, Out&& out, std::uint64_t seed) {
  const auto from = detail::require_sized(detail::reading(in));
  const auto to = detail::require_sized(views::all(out));
  detail::require_one_team(from, to);
  const std::size_t k = std::min(from.extent(), to.extent());
  detail::require_apart("sample", from, from.extent(), to, k);
  const std::vector<std::size_t> chosen = detail::drawn_indices(from.extent(), k, seed);
  detail::algorithm_call why("sample", to, from);
  detail::copy_chosen(from, views::take(to, k), chosen, "sample", why);
  detail::finish(to.members(), "sample", why);
  return k;
}

}  // namespace armilla
