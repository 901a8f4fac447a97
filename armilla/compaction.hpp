// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/compaction_inline.hpp"
#include "armilla/algorithm/elementwise/projected.hpp"

/// Algorithms that keep some of the elements, in the order of their indices. Each member collects what it keeps, all learn how
/// many there are, each writes its own at the final place. So a function is called once an element, and what it throws ends the
/// algorithm before anything is written. Cost: two meetings, one pass; a bit an element from one container into another, else
/// room for what is kept. An output that is dealt in turn is put together in blocks first: room once more, and one copy. Outputs
/// may overlap the input in any way. Predicates and relations get what the projection gives. Predicates run on the rank of
/// the element. Where elements are dealt in turn, those that are kept are exchanged once more. Relations run on even shares of
/// the indices.
namespace armilla {

/// Copies the elements for which `predicate` holds to the first places of `out`, and returns how many there are. usage_error on
/// all, before anything is written, if `out` has fewer places. `in` may be filtered.
template <distributed_range In, distributed_range Out, class P, class Projection = std::identity>
std::size_t copy_if(In&& in, Out&& out, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "copy_if", test, true);
}
/// The elements for which it does not hold; those that are not equal to `value`.
template <distributed_range In, distributed_range Out, class P, class Projection = std::identity>
std::size_t remove_copy_if(In&& in, Out&& out, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "remove_copy_if", test, false);
}
template <distributed_range In, distributed_range Out, class T, class Projection = std::identity>
std::size_t remove_copy(In&& in, Out&& out, const T& value, Projection of = {}) {
  auto equal = detail::equal_to(value);
  auto&& same = detail::test_after(equal, of);
  return detail::copy_some(detail::reading(in), detail::require_sized(views::all(out)), "remove_copy", same, false);
}

/// Removes the elements for which `predicate` holds, and returns how many stay. A vector has these afterwards: in blocks each
/// stays on its member, nothing moves, and parts have different lengths (`rebalance` makes them even). Arrays and views keep
/// their size, what stays comes first, and the elements behind it are as they were.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t remove_if(R&& r, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::remove_some(r, "remove_if", test);
}
template <distributed_range R, class T, class Projection = std::identity>
std::size_t remove(R&& r, const T& value, Projection of = {}) {
  auto equal = detail::equal_to(value);
  auto&& same = detail::test_after(equal, of);
  return detail::remove_some(r, "remove", same);
}

/// Of neighbours that are equal keeps the first; the rest as remove_if. `same` is an equivalence.
template <distributed_range R, class Same = std::equal_to<>, class Projection = std::identity>
std::size_t unique(R&& r, Same same = {}, Projection of = {}) {
  auto&& alike = detail::related(same, of, of);
  const auto v = detail::require_sized(views::all(r));
  detail::algorithm_call why("unique", v);
  return detail::keep_only(r, "unique", why, detail::first_of_equals(v, why, alike));
}
template <distributed_range In, distributed_range Out, class Same = std::equal_to<>, class Projection = std::identity>
std::size_t unique_copy(In&& in, Out&& out, Same same = {}, Projection of = {}) {
  auto&& alike = detail::related(same, of, of);
  const auto v = detail::require_sized(detail::reading(in));
  const auto to = detail::require_sized(views::all(out));
  detail::require_one_team(v, to);
  return detail::copy_unique(v, to, alike);
}

/// Elements for which `predicate` holds come first, both groups in the order of their indices. Returns how many these are, which
/// is the index of the first other one. Cost: room for all elements once more.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t stable_partition(R&& r, P predicate, Projection of = {}) {
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
/// stable_partition: keeping the order costs nothing here.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t partition(R&& r, P predicate, Projection of = {}) {
  const detail::algorithm_call all("partition");
  const detail::without_end last(all);
  return armilla::stable_partition(r, predicate, of);
}
/// Copies both groups, into outputs that share no elements, and returns how many elements each has.
template <distributed_range In, distributed_range OutTrue, distributed_range OutFalse, class P, class Projection = std::identity>
std::pair<std::size_t, std::size_t> partition_copy(In&& in, OutTrue&& yes, OutFalse&& no, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  return detail::partition_into(detail::reading(in), detail::require_sized(views::all(yes)),
                                detail::require_sized(views::all(no)), test);
}
/// The index of the first element for which `predicate` does not hold, in a range where it holds for all before and for none
/// behind; else any index of the range, and a usage_error on all members of a checked program. Cost: a few elements of each run
/// are looked at, and one meeting.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t partition_point(R&& r, P predicate, Projection of = {}) {
  return detail::first_without(detail::require_sized(detail::reading(r)), "partition_point",
                               "elements for which the predicate holds must come first", detail::test_after(predicate, of));
}

/// A vector of the elements for which `predicate` holds, each on the rank that has it: parts have different lengths, and those of
/// a range that is dealt in turn come one behind the other. Nothing is sent but their number.
template <distributed_range R, class P, class Projection = std::identity>
auto pack(R&& r, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  const auto v = detail::reading(r);
  detail::algorithm_call why("pack", v);
  const auto kept = detail::collect_own<1>(v, why, detail::kept_if(test, true));
  return detail::as_vector(v.members(), "pack", why, kept[0]);
}
/// A vector of their indices, ascending.
template <distributed_range R, class P, class Projection = std::identity>
vector<std::size_t> pack_index(R&& r, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  const auto v = detail::require_sized(detail::reading(r));
  detail::algorithm_call why("pack_index", v);
  const auto found = detail::collect_indices(v, "pack_index", why, detail::kept_if(test, true));
  return detail::as_vector(v.members(), "pack_index", why, found);
}

}  // namespace armilla
