// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "armilla/algorithm/walk.hpp"
#include "armilla/container/views.hpp"

/// What algorithms share whose output is in the order of the input's indices, and not at the input's places.
namespace armilla::detail {

/// Element i of a range that this rank may read, wherever it lies.
template <class V>
typename V::value_type element_at(const V& v, std::size_t i) {
  std::size_t one = 1;
  scratch fetched;
  return v.window(i, one, fetched)[0];
}

/// Calls f(cursor, n, indices) for pieces of [first, end), whichever member has them, until it returns false.
template <class V, class F>
void walk_between(const V& v, std::size_t first, std::size_t end, failure& why, F f) try {
  const in_functions here;
  scratch fetched;
  for (std::size_t i = first; i < end && !why.happened();)
    if (!go_through(v, i, std::min(v.run_at(i).end, end), fetched, f)) break;
  fetched.finish();
} catch (...) { why.note(); }

/// What is read is on the members of what is written, or is made up.
template <class In, class Out>
void require_one_team(const In& in, const Out& out) {
  if constexpr (!lies_anywhere<In>) require_same_members(in.members(), out.members());
}

/// The share of member m if n things are shared out evenly.
inline std::size_t even_share(std::size_t n, rank_t m, rank_t members) {
  const auto p = std::size_t(members), k = std::size_t(m);
  return n / p * k + std::min(n % p, k);
}

/// As walk, and what all members see, one behind the other, is in the order of indices: where elements are dealt in turn, each
/// takes an even share of the indices instead of its own elements.
template <class V, class F>
void walk_in_order(const V& v, failure& why, F f) {
  if (v.ordered()) return walk(v, why, f);
  const team& t = v.members();
  walk_between(v, even_share(v.extent(), t.rank(), t.size()), even_share(v.extent(), t.rank() + 1, t.size()), why, f);
}
/// Elements of others that walk_in_order looks at are there.
template <class V>
void enter_in_order(const V& v) {
  if (v.ordered())
    enter(v);
  else
    meet(v.members());
}

/// What the members before this one have, and all.
struct part_counts {
  std::vector<std::size_t> each;
  std::size_t before = 0, all = 0;
};
/// Collective, and a meeting: how many elements each member has found. All throw if one has failed.
part_counts count_of_all(const team& t, const char* operation, failure& why, std::size_t mine);

/// Elements [first, first + n) of `to` become those of `values`, wherever they lie.
template <class V, class T>
void write_at(const V& to, std::size_t first, std::span<const T> values, failure& why) {
  walk_between(to, first, first + values.size(), why, [&](const auto c, std::size_t n, const indices& at) {
    const T* const from = values.data() + (at(0) - first);
    if constexpr (std::is_same_v<decltype(c), T* const> && std::is_trivially_copyable_v<T>)
      std::memcpy(static_cast<void*>(c), from, n * sizeof(T));
    else
      for (std::size_t k = 0; k < n; ++k) c[k] = from[k];
    return true;
  });
}

}  // namespace armilla::detail
