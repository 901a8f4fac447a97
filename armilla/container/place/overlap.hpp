// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

/// Whether two ranges share elements. All members find the same: they ask of the views, not of the memory.
namespace armilla::detail {

class order_check;

/// Which element of a container each position of a view is: position i is element first + i * step.
struct element_map {
  std::ptrdiff_t first = 0, step = 1;
  std::size_t n = 0;  ///< positions
  bool exact = true;  ///< false: each position is several of these elements

  std::ptrdiff_t last() const noexcept { return first + (std::ptrdiff_t(n) - 1) * step; }
  /// Whether one of the positions is this element, or may be.
  bool holds(std::size_t element) const noexcept {
    const auto e = std::ptrdiff_t(element);
    return n > 0 && e >= std::min(first, last()) && e <= std::max(first, last()) &&
           (!exact || step == 0 || (e - first) % step == 0);
  }
};

enum class overlap {
  none,
  same,    ///< element i of one is element i of the other
  shifted  ///< some element is another one's, or may be
};
overlap overlap_of(const element_map& a, const element_map& b) noexcept;

/// What a view says of a container: which it is, and what this rank has begun about its elements.
struct viewed_container {
  const void* which;
  const order_check* order = nullptr;  ///< null: there are no one-way calls to it
};

/// Calls f(container, map) for each container of which the first `n` positions of `v` are. Views that do not say it have none.
template <class V, class F>
void each_container(const V& v, const element_map& at, F f) {
  if constexpr (requires { v.each_container(at, f); }) v.each_container(at, f);
}

/// Of the first `n` positions of `a` and the first `m` of `b`.
template <class A, class B>
overlap overlap_of(const A& a, std::size_t n, const B& b, std::size_t m) {
  overlap most = overlap::none;
  each_container(a, {0, 1, n}, [&](const viewed_container& one, const element_map& at) {
    each_container(b, {0, 1, m}, [&](const viewed_container& other, const element_map& there) {
      if (one.which == other.which) most = std::max(most, overlap_of(at, there));
    });
  });
  return most;
}

[[noreturn, gnu::cold]] void throw_overlap(const char* operation, overlap found);

/// The elements of a range that is written are those of the one that is read, position by position, or none of them. Before
/// anything moves; throws usage_error on all members. Budget: a comparison of two addresses for each pair of containers.
template <class In, class Out>
void require_same_or_apart(const char* operation, const In& in, const Out& out, std::size_t n) {
  if (const overlap found = overlap_of(in, n, out, n); found == overlap::shifted) [[unlikely]]
    throw_overlap(operation, found);
}
/// The ranges share no element.
template <class In, class Out>
void require_apart(const char* operation, const In& in, std::size_t n, const Out& out, std::size_t m) {
  if (const overlap found = overlap_of(in, n, out, m); found != overlap::none) [[unlikely]]
    throw_overlap(operation, found);
}

}  // namespace armilla::detail
