// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/algorithm/elementwise/projected.hpp"
#include "armilla/algorithm/elementwise/query_inline.hpp"

/// Algorithms that ask: the same answer on all members. One pass and one meeting. A member ends at its first match, and in a
/// long range where it is behind a match of another member of its host. A position is an index, npos for none; of several the
/// first. Projections say what of an element is asked about; of two ranges each has its own.
namespace armilla {

/// The index of the first element for which `predicate` holds.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_if(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "find_if", detail::test_after(predicate, of));
}
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_if_not(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "find_if_not", std::not_fn(detail::test_after(predicate, of)));
}
/// The index of the first element equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t find(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "find");
  return detail::find_first(detail::reading(r), "find", [&](const auto& e) { return std::invoke(of, e) == value; });
}
/// The index of the last element equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t find_last(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "find_last");
  return detail::find_last_of_all(detail::reading(r), "find_last", [&](const auto& e) { return std::invoke(of, e) == value; });
}
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_last_if(R&& r, P predicate, Projection of = {}) {
  return detail::find_last_of_all(detail::reading(r), "find_last_if", detail::test_after(predicate, of));
}
template <distributed_range R, class T, class Projection = std::identity>
bool contains(R&& r, const T& value, Projection of = {}) {
  const detail::algorithm_call all("contains");
  return armilla::find(r, value, of) != npos;
}

/// Whether `predicate` holds for every element; true of none.
template <distributed_range R, class P, class Projection = std::identity>
bool all_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "all_of", std::not_fn(detail::test_after(predicate, of))) == npos;
}
template <distributed_range R, class P, class Projection = std::identity>
bool any_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "any_of", detail::test_after(predicate, of)) != npos;
}
template <distributed_range R, class P, class Projection = std::identity>
bool none_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "none_of", detail::test_after(predicate, of)) == npos;
}

/// For how many elements `predicate` holds.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t count_if(R&& r, P predicate, Projection of = {}) {
  auto&& test = detail::test_after(predicate, of);
  const auto v = detail::reading(r);
  detail::algorithm_call why("count_if", v);
  detail::enter(v);
  std::size_t found = 0;
  detail::walk(v, why, [&](const auto c, std::size_t n, const detail::indices& at) {
    std::size_t here = 0;
    detail::each_of_piece(c, n, at, why, [&](std::size_t k) { here += std::size_t(bool(detail::apply_at(test, c, k))); });
    found += here;
    return !why.happened();
  });
  return detail::agree(v.members(), "count_if", why, found, std::plus<>{});
}
/// How many elements are equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t count(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "count");
  const detail::algorithm_call all("count");
  return armilla::count_if(r, [&](const auto& e) { return std::invoke(of, e) == value; });
}

/// The first index at which two ranges differ, or at which the shorter ends; npos if they are equal.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
std::size_t mismatch(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const auto x = detail::reading(a);
  const auto y = detail::reading(b);
  auto&& alike = detail::related(same, of_a, of_b);
  const std::size_t at =
      detail::find_first(views::zip(x, y), "mismatch", [&](const auto& e, const auto& f) { return !alike(e, f); });
  const std::size_t n = detail::size_of(x), m = detail::size_of(y);
  return at != npos || n == m ? at : n < m ? n : m;
}
/// Whether two ranges have as many elements, and equal ones.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool equal(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("equal");
  if (detail::size_of(detail::reading(a)) != detail::size_of(detail::reading(b))) return false;
  return armilla::mismatch(a, b, same, of_a, of_b) == npos;
}
/// Whether `b`'s elements are the first ones of `a`.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool starts_with(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("starts_with");
  const std::size_t n = detail::size_of(detail::reading(b));
  return n <= detail::size_of(detail::reading(a)) && armilla::equal(views::take(a, n), b, same, of_a, of_b);
}
/// Whether they are the last ones.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool ends_with(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("ends_with");
  const std::size_t n = detail::size_of(detail::reading(a)), m = detail::size_of(detail::reading(b));
  return m <= n && armilla::equal(views::drop(a, n - m), b, same, of_a, of_b);
}
/// Whether `a` comes before `b` in a dictionary.
template <distributed_range A, distributed_range B, class Less = std::less<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool lexicographical_compare(A&& a, B&& b, Less less = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("lexicographical_compare");
  const auto x = detail::reading(a);
  const auto y = detail::reading(b);
  auto&& before = detail::related(less, of_a, of_b);
  auto&& behind = detail::related(less, of_b, of_a);
  const auto both = views::zip(x, y);
  const std::size_t at = detail::find_first(both, "lexicographical_compare",
                                            [&](const auto& e, const auto& f) { return before(e, f) || behind(f, e); });
  if (at == npos) return detail::size_of(x) < detail::size_of(y);
  return armilla::any_of(views::slice(both, at, at + 1), [&](const auto& e, const auto& f) { return before(e, f); });
}

/// The first index whose element and the next are equal, or for which `relation` holds.
template <distributed_range R, class Relation = std::equal_to<>, class Projection = std::identity>
std::size_t adjacent_find(R&& r, Relation relation = {}, Projection of = {}) {
  return detail::find_first(detail::neighbours(detail::require_sized(detail::reading(r))), "adjacent_find",
                            detail::related(relation, of, of));
}
/// The index of the first element that is less than the one before it; the size if there is none.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t is_sorted_until(R&& r, Less less = {}, Projection of = {}) {
  detail::require_function(less, "is_sorted_until");
  detail::require_function(of, "is_sorted_until");
  const auto v = detail::require_sized(detail::reading(r));
  const std::size_t at = detail::find_first(detail::neighbours(v), "is_sorted_until", [&](const auto& a, const auto& b) {
    return bool(std::invoke(less, std::invoke(of, b), std::invoke(of, a)));
  });
  return at == npos ? v.extent() : at + 1;
}
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
bool is_sorted(R&& r, Less less = {}, Projection of = {}) {
  const detail::algorithm_call all("is_sorted");
  return armilla::is_sorted_until(r, less, of) == detail::size_of(detail::reading(r));
}
/// Whether all elements for which `predicate` holds come before the others.
template <distributed_range R, class P, class Projection = std::identity>
bool is_partitioned(R&& r, P predicate, Projection of = {}) {
  const detail::algorithm_call all("is_partitioned");
  auto&& test = detail::test_after(predicate, of);
  return armilla::is_sorted(r, [&](const auto& a, const auto& b) { return bool(test(a)) && !bool(test(b)); });
}

}  // namespace armilla
