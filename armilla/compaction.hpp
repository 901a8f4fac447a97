// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/compaction_inline.hpp"
#include "armilla/algorithm/elementwise/projected.hpp"

/// Algorithms that select some of the elements, in the order of their indices: `copy_if`, `remove_if`, `unique`, `partition`,
/// `pack`.
///
/// All members of the range's team call them. Predicates and relations get what the projection returns.
///
///     const std::size_t n = am::copy_if(x, y, [](double e) { return e > 0; });     // the first n of y
///     am::remove_if(v, [](double e) { return e == 0; });                           // v becomes shorter
///
/// **How.** Each member collects the elements that it selects, all learn their numbers, and each writes its own at their final
/// index. So a function is called once for each element, and what it throws ends the algorithm before anything is written.
/// Predicates run on the rank of the element; relations run on even shares of the indices. Outputs may overlap the input in any
/// way.
///
/// **Errors.** Throws `usage_error` on all members, before anything is written, if an output has too few elements.
///
/// **Cost.** Two collectives and one pass. A bit for each element from one container into another, otherwise room for the
/// selected elements. An output with a cyclic distribution is made in blocks first: room once more, and one copy. Selected
/// elements of a cyclic distribution are exchanged once more.
namespace armilla {

/// Copies the elements for which `predicate` holds to the first elements of `out`, and returns their number. `in` may be
/// filtered.
template <distributed_range In, distributed_range Out, class P, class Projection = std::identity>
std::size_t copy_if(In&& in, Out&& out, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "copy_if", test, true);
}

/// Copies the elements for which `predicate` does not hold, as `copy_if`.
template <distributed_range In, distributed_range Out, class P, class Projection = std::identity>
std::size_t remove_copy_if(In&& in, Out&& out, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "remove_copy_if", test, false);
}

/// Copies the elements that are not equal to `value`, as `copy_if`.
template <distributed_range In, distributed_range Out, class T, class Projection = std::identity>
std::size_t remove_copy(In&& in, Out&& out, const T& value, Projection of = {}) {
  auto equal = detail::equal_to(value);
  auto&& same = detail::test_after(equal, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "remove_copy", same, false);
}

/// Removes the elements for which `predicate` holds, and returns how many remain.
///
/// A vector becomes shorter. In blocks each remaining element stays on its member and nothing moves, so members have different
/// numbers of elements (`vector::rebalance` makes them even). Arrays and views keep their size; the remaining elements come
/// first, and those after them are as they were.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t remove_if(R&& r, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::remove_some(r, "remove_if", test);
}

/// Removes the elements that are equal to `value`, as `remove_if`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t remove(R&& r, const T& value, Projection of = {}) {
  auto equal = detail::equal_to(value);
  auto&& same = detail::test_after(equal, of);
  return detail::remove_some(r, "remove", same);
}

/// Removes all but the first of equal elements that follow each other, as `remove_if`. `same` is an equivalence.
template <distributed_range R, class Same = std::equal_to<>, class Projection = std::identity>
std::size_t unique(R&& r, Same same = {}, Projection of = {}) {
  auto&& alike = detail::related(same, of, of);
  const auto v = detail::require_sized(views::all(r));
  detail::algorithm_call why("unique", v);
  return detail::keep_only(r, "unique", why, detail::first_of_equals(v, why, alike));
}

/// Copies the first of equal elements that follow each other, as `copy_if`.
template <distributed_range In, distributed_range Out, class Same = std::equal_to<>, class Projection = std::identity>
std::size_t unique_copy(In&& in, Out&& out, Same same = {}, Projection of = {});

/// Moves the elements for which `predicate` holds to the front, and keeps both groups in the order of their indices.
///
/// Returns the number of elements for which it holds, which is the index of the first other one. Cost: room for all elements once
/// more.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t stable_partition(R&& r, P predicate, Projection of = {});

/// Does the same as `stable_partition`: keeping the order costs nothing here.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t partition(R&& r, P predicate, Projection of = {}) {
  const detail::algorithm_call all("partition");
  const detail::without_end last(all);
  return armilla::stable_partition(r, predicate, of);
}

/// Copies both groups into outputs that share no elements, and returns how many elements each has.
template <distributed_range In, distributed_range OutTrue, distributed_range OutFalse, class P, class Projection = std::identity>
std::pair<std::size_t, std::size_t> partition_copy(In&& in, OutTrue&& yes, OutFalse&& no, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::partition_into(detail::reading(in), detail::require_sized(views::all(yes)),
                                detail::require_sized(views::all(no)), test);
}

/// Returns the index of the first element for which `predicate` does not hold, in a range in which it holds for all elements
/// before and for none after.
///
/// In another range it returns any index; a program with the checked library throws `usage_error` on all members. Cost: a few
/// elements of each run are read, and one collective.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t partition_point(R&& r, P predicate, Projection of = {}) {
  return detail::first_without(detail::require_sized(detail::reading(r)), "partition_point",
                               "elements for which the predicate holds must come first", detail::test_after(predicate, of));
}

/// Returns a `vector` of the elements for which `predicate` holds, each on the rank that has it.
///
/// Members have different numbers of elements; those of a cyclic distribution come one after the other. Nothing is sent but their
/// numbers.
template <distributed_range R, class P, class Projection = std::identity>
auto pack(R&& r, P predicate, Projection of = {});

/// Returns a `vector` of the indices of the elements for which `predicate` holds, ascending.
template <distributed_range R, class P, class Projection = std::identity>
vector<std::size_t> pack_index(R&& r, P predicate, Projection of = {});

// ---- Implementation only below ----

template <distributed_range In, distributed_range Out, class Same, class Projection>
std::size_t unique_copy(In&& in, Out&& out, Same same, Projection of) {
  auto&& alike = detail::related(same, of, of);
  const auto v = detail::require_sized(detail::reading(in));
  const auto to = detail::require_sized(views::all(out));
  detail::require_one_team(v, to);
  return detail::copy_unique(v, to, alike);
}

template <distributed_range R, class P, class Projection>
std::size_t stable_partition(R&& r, P predicate, Projection of) {
  auto&& test = detail::test_after(predicate, of);
  using detail::part_counts;
  const auto v = detail::require_sized(views::all(r));
  detail::algorithm_call why("stable_partition", v);
  const auto lists = detail::collect<2>(v, "stable_partition", why, detail::kept_if(test, true));
  const part_counts yes = detail::count_of_all(v.members(), "stable_partition", why, lists[0].size());
  const part_counts no = detail::count_of_all(v.members(), "stable_partition", why, lists[1].size());
  detail::write_all(v, 0, yes, lists[0].elements(), why);
  detail::write_all(v, yes.all, no, lists[1].elements(), why);
  detail::finish(v.members(), "stable_partition", why);
  return yes.all;
}

template <distributed_range R, class P, class Projection>
auto pack(R&& r, P predicate, Projection of) {
  auto&& test = detail::test_after(predicate, of);
  const auto v = detail::reading(r);
  detail::algorithm_call why("pack", v);
  const auto kept = detail::collect_own<1>(v, why, detail::kept_if(test, true));
  return detail::as_vector(v.members(), "pack", why, kept[0]);
}

template <distributed_range R, class P, class Projection>
vector<std::size_t> pack_index(R&& r, P predicate, Projection of) {
  auto&& test = detail::test_after(predicate, of);
  const auto v = detail::require_sized(detail::reading(r));
  detail::algorithm_call why("pack_index", v);
  const auto found = detail::collect_indices(v, "pack_index", why, detail::kept_if(test, true));
  return detail::as_vector(v.members(), "pack_index", why, found);
}

}  // namespace armilla
