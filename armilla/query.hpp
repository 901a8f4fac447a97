// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "armilla/algorithm/elementwise/projected.hpp"
#include "armilla/algorithm/elementwise/query_inline.hpp"

/// Algorithms that search and count: `find`, `count`, `all_of`, `equal`, `is_sorted` and the like.
///
/// All members of the range's team call them, and get the same result. A position is an index, `npos` for none. Projections say
/// which field of an element is meant; of two ranges each has its own.
///
///     const std::size_t at = am::find(x, 5.0);
///     const bool sorted = am::is_sorted(x), positive = am::all_of(x, [](double e) { return e > 0; });
///
/// **Errors.** What a function throws ends the algorithm: all members throw `remote_error` with the text and the index of the
/// element.
///
/// **Cost.** One pass and one collective. A member ends its search at its first match, and in a long range also when another
/// member of its host has found an earlier one.
namespace armilla {

/// Returns the index of the first element for which `predicate` holds.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_if(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "find_if", detail::test_after(predicate, of));
}

/// Returns the index of the first element for which `predicate` does not hold.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_if_not(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "find_if_not", std::not_fn(detail::test_after(predicate, of)));
}

/// Returns the index of the first element that is equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t find(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "find");
  return detail::find_first(detail::reading(r), "find", [&](const auto& e) { return std::invoke(of, e) == value; });
}

/// Returns the index of the last element that is equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t find_last(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "find_last");
  return detail::find_last_of_all(detail::reading(r), "find_last", [&](const auto& e) { return std::invoke(of, e) == value; });
}

/// Returns the index of the last element for which `predicate` holds.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t find_last_if(R&& r, P predicate, Projection of = {}) {
  return detail::find_last_of_all(detail::reading(r), "find_last_if", detail::test_after(predicate, of));
}

/// Returns whether an element is equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
bool contains(R&& r, const T& value, Projection of = {}) {
  const detail::algorithm_call all("contains");
  return armilla::find(r, value, of) != npos;
}

/// Returns whether `predicate` holds for every element: true for an empty range.
template <distributed_range R, class P, class Projection = std::identity>
bool all_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "all_of", std::not_fn(detail::test_after(predicate, of))) == npos;
}

/// Returns whether `predicate` holds for an element.
template <distributed_range R, class P, class Projection = std::identity>
bool any_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "any_of", detail::test_after(predicate, of)) != npos;
}

/// Returns whether `predicate` holds for no element.
template <distributed_range R, class P, class Projection = std::identity>
bool none_of(R&& r, P predicate, Projection of = {}) {
  return detail::find_first(detail::reading(r), "none_of", detail::test_after(predicate, of)) == npos;
}

/// Returns the number of elements for which `predicate` holds.
template <distributed_range R, class P, class Projection = std::identity>
std::size_t count_if(R&& r, P predicate, Projection of = {});

/// Returns the number of elements that are equal to `value`.
template <distributed_range R, class T, class Projection = std::identity>
std::size_t count(R&& r, const T& value, Projection of = {}) {
  detail::require_function(of, "count");
  const detail::algorithm_call all("count");
  return armilla::count_if(r, [&](const auto& e) { return std::invoke(of, e) == value; });
}

/// Returns the first index at which two ranges differ, or at which the shorter one ends; `npos` if they are equal.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
std::size_t mismatch(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {});

/// Returns whether two ranges have the same size and equal elements.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool equal(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("equal");
  if (detail::size_of(detail::reading(a)) != detail::size_of(detail::reading(b))) return false;
  return armilla::mismatch(a, b, same, of_a, of_b) == npos;
}

/// Returns whether the elements of `b` are the first ones of `a`.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool starts_with(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("starts_with");
  const std::size_t n = detail::size_of(detail::reading(b));
  return n <= detail::size_of(detail::reading(a)) && armilla::equal(views::take(a, n), b, same, of_a, of_b);
}

/// Returns whether the elements of `b` are the last ones of `a`.
template <distributed_range A, distributed_range B, class Same = std::equal_to<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool ends_with(A&& a, B&& b, Same same = {}, ProjectionA of_a = {}, ProjectionB of_b = {}) {
  const detail::algorithm_call all("ends_with");
  const std::size_t n = detail::size_of(detail::reading(a)), m = detail::size_of(detail::reading(b));
  return m <= n && armilla::equal(views::drop(a, n - m), b, same, of_a, of_b);
}

/// Returns whether `a` comes before `b` in lexicographical order.
template <distributed_range A, distributed_range B, class Less = std::less<>, class ProjectionA = std::identity,
          class ProjectionB = std::identity>
bool lexicographical_compare(A&& a, B&& b, Less less = {}, ProjectionA of_a = {}, ProjectionB of_b = {});

/// Returns the first index whose element and the next one are equal, or for which `relation` holds; `npos` if there is none.
template <distributed_range R, class Relation = std::equal_to<>, class Projection = std::identity>
std::size_t adjacent_find(R&& r, Relation relation = {}, Projection of = {}) {
  return detail::find_first(detail::neighbours(detail::require_sized(detail::reading(r))), "adjacent_find",
                            detail::related(relation, of, of));
}

/// Returns the index of the first element that is less than the one before it; the size if there is none.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t is_sorted_until(R&& r, Less less = {}, Projection of = {});

/// Returns whether the elements are in order.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
bool is_sorted(R&& r, Less less = {}, Projection of = {}) {
  const detail::algorithm_call all("is_sorted");
  return armilla::is_sorted_until(r, less, of) == detail::size_of(detail::reading(r));
}

/// Returns whether all elements for which `predicate` holds come before the others.
template <distributed_range R, class P, class Projection = std::identity>
bool is_partitioned(R&& r, P predicate, Projection of = {}) {
  const detail::algorithm_call all("is_partitioned");
  auto&& test = detail::test_after(predicate, of);
  return armilla::is_sorted(r, [&](const auto& a, const auto& b) { return bool(test(a)) && !bool(test(b)); });
}

// ---- Implementation only below ----

template <distributed_range R, class P, class Projection>
std::size_t count_if(R&& r, P predicate, Projection of) {
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

template <distributed_range A, distributed_range B, class Same, class ProjectionA, class ProjectionB>
std::size_t mismatch(A&& a, B&& b, Same same, ProjectionA of_a, ProjectionB of_b) {
  const auto x = detail::reading(a);
  const auto y = detail::reading(b);
  auto&& alike = detail::related(same, of_a, of_b);
  const std::size_t at =
      detail::find_first(views::zip(x, y), "mismatch", [&](const auto& e, const auto& f) { return !alike(e, f); });
  const std::size_t n = detail::size_of(x), m = detail::size_of(y);
  return at != npos || n == m ? at : n < m ? n : m;
}

template <distributed_range A, distributed_range B, class Less, class ProjectionA, class ProjectionB>
bool lexicographical_compare(A&& a, B&& b, Less less, ProjectionA of_a, ProjectionB of_b) {
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

template <distributed_range R, class Less, class Projection>
std::size_t is_sorted_until(R&& r, Less less, Projection of) {
  detail::require_function(less, "is_sorted_until");
  detail::require_function(of, "is_sorted_until");
  const auto v = detail::require_sized(detail::reading(r));
  const std::size_t at = detail::find_first(detail::neighbours(v), "is_sorted_until", [&](const auto& a, const auto& b) {
    return bool(std::invoke(less, std::invoke(of, b), std::invoke(of, a)));
  });
  return at == npos ? v.extent() : at + 1;
}

}  // namespace armilla
