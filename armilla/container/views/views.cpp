// SPDX-License-Identifier: Apache-2.0
#include "armilla/views.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

void throw_bad_slice(std::size_t first, std::size_t last, std::size_t size) {
  throw_usage("views::slice", fmt::format("elements [{}, {}) of a range of {}; give first <= last <= size", first, last, size));
}

void throw_shorter(std::size_t n, std::size_t left) {
  throw_usage("views", fmt::format("a view of the first {} elements, of which {} are left; what resizes a container leaves its "
                                   "views without use: make the view anew",
                                   n, left));
}

void throw_bad_stride() { throw_usage("views::stride", "a step of 0; give 1 or more"); }

void throw_empty_rows(const char* view) { throw_usage(view, "rows of 0 elements; give 1 or more"); }

// Whether a position of one is the same element as one of the other. Steps are not 0. Goes through the wider steps, until their
// remainders by the other step repeat.
static bool share_one(element_map a, element_map b) noexcept {
  if (std::abs(a.step) < std::abs(b.step)) std::swap(a, b);
  const std::ptrdiff_t step = std::abs(a.step), other = std::abs(b.step), least = std::min(b.first, b.last());
  const std::ptrdiff_t end = std::min(std::max(a.first, a.last()), std::max(b.first, b.last()));
  std::ptrdiff_t at = std::min(a.first, a.last());
  if (at < least) at += (least - at + step - 1) / step * step;
  for (std::ptrdiff_t left = other / std::gcd(step, other); left > 0 && at <= end; --left, at += step)
    if ((at - least) % other == 0) return true;
  return false;
}

overlap overlap_of(const element_map& a, const element_map& b) noexcept {
  if (a.n == 0 || b.n == 0) return overlap::none;
  const auto [a_least, a_most] = std::minmax({a.first, a.last()});
  const auto [b_least, b_most] = std::minmax({b.first, b.last()});
  if (a_most < b_least || b_most < a_least) return overlap::none;
  if (!a.exact || !b.exact) return overlap::shifted;
  if (a.step != 0 && b.step != 0 && !share_one(a, b)) return overlap::none;
  return a.first == b.first && (a.step == b.step || (a.n == 1 && b.n == 1)) ? overlap::same : overlap::shifted;
}

void throw_overlap(const char* operation, overlap found) {
  const char* const both = found == overlap::same ? "the range that is written is one that is read"
                                                  : "the range that is written has elements in common with one that is read, at "
                                                    "other positions";
  throw_usage(algorithm_here(operation), fmt::format("{}, and would change them before they are read; copy what is read into "
                                                     "another container first",
                                                     both));
}

void require_same_members(const team& a, const team& b) {
  if (a == b) return;
  bool same = a.size() == b.size();
  for (rank_t m = 0; same && m < a.size(); ++m) same = a.world_rank(m) == b.world_rank(m);
  if (!same)
    throw_usage("views::zip",
                fmt::format("the ranges lie on other ranks: one on a team of {} members, one on a team of {}; both need "
                            "the same members in the same order (copy one of them)",
                            a.size(), b.size()));
}

}  // namespace armilla::detail
