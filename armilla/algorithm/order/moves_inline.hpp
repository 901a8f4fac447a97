// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/array.hpp"
#include "armilla/elementwise.hpp"

/// What moves of elements do inside.
namespace armilla::detail {

/// The elements of `v`, from index `middle` on, then those before, in blocks beside it.
template <class V>
array<typename V::value_type> rotated(const V& v, std::size_t middle, std::size_t n) {
  array<typename V::value_type> copied(n, on(v.members()));
  armilla::copy(views::slice(v, middle, n), copied);
  armilla::copy(views::take(v, middle), views::drop(copied, n - middle));
  return copied;
}

[[noreturn, gnu::cold]] void throw_beyond(const char* operation, std::size_t index, std::size_t size);

inline void require_index(const char* operation, std::size_t index, std::size_t size) {
  if (index > size) [[unlikely]]
    throw_beyond(operation, index, size);
}

/// A number that depends on seed and index only, and looks drawn.
inline std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// `k` of the numbers below `n`, ascending, each set with one probability. Paper: Bentley, Floyd, A sample of brilliance.
std::vector<std::size_t> drawn_indices(std::size_t n, std::size_t k, std::uint64_t seed);

/// The elements of this member among from[chosen[0]], from[chosen[1]] and so on, ordered by the member that has their position in
/// `to`; `counts` becomes how many each has.
template <class From, class To>
std::vector<indexed_element<typename From::value_type>> own_chosen(const From& from, const To& to,
                                                                   const std::vector<std::size_t>& chosen,
                                                                   std::vector<std::size_t>& counts) {
  using T = typename From::value_type;
  const in_functions here;
  std::vector<std::vector<indexed_element<T>>> parts(counts.size());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (from.next_on(to.members().rank(), chosen[k]) == chosen[k])
      parts[std::size_t(to.run_at(k).member)].push_back(make_indexed<T>(k, element_at(from, chosen[k])));
  std::vector<indexed_element<T>> all;
  for (std::size_t m = 0; m < parts.size(); ++m)
    all.insert(all.end(), std::make_move_iterator(parts[m].begin()), std::make_move_iterator(parts[m].end()));
  for (std::size_t m = 0; m < parts.size(); ++m) counts[m] = parts[m].size();
  return all;
}

/// to[k] becomes from[chosen[k]] for each k. Elements travel in one message from member to member.
template <class From, class To>
void copy_chosen(const From& from, const To& to, const std::vector<std::size_t>& chosen, const char* operation, failure& why) {
  using T = typename From::value_type;
  const team& t = to.members();
  enter(from);
  std::vector<std::size_t> counts(std::size_t(t.size()), 0);
  std::vector<indexed_element<T>> mine;
  try {
    mine = own_chosen(from, to, chosen, counts);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_moved(mine.size() - counts[std::size_t(t.rank())]);
  std::vector<indexed_element<T>> come = send_counted(t, operation, mine, counts, why);
  if (why.happened()) return;  // not all of it is here
  std::ranges::sort(come, {}, &indexed_element<T>::index);
  std::size_t next = 0;
  walk(to, why, [&](const auto c, std::size_t n, const indices&) {
    for (std::size_t j = 0; j < n; ++j) c[j] = value_of(come[next++]);
    return true;
  });
}
/// The same of a range that is made up: nothing travels.
template <class From, class To>
  requires(!lies_somewhere<From>)
void copy_chosen(const From& from, const To& to, const std::vector<std::size_t>& chosen, const char*, failure& why) {
  walk(to, why, [&](const auto c, std::size_t n, const indices& at) {
    for (std::size_t j = 0; j < n; ++j) c[j] = element_at(from, chosen[at(j)]);
    return true;
  });
}

template <class T>
struct drawn_element {
  std::uint64_t key;
  T value;
};

}  // namespace armilla::detail
