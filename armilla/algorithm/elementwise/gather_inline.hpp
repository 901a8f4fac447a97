// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/array.hpp"
#include "armilla/async.hpp"
#include "armilla/atomic.hpp"
#include "armilla/strided.hpp"

/// What `gather`, `scatter` and `scatter_add` do inside.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_unlike_lists(const char* operation, std::size_t indices, std::size_t values);

/// This rank begins to change these elements.
template <class T>
void begin_changes([[maybe_unused]] const element_state<T>& of, [[maybe_unused]] std::span<const std::size_t> indices) {
  if constexpr (checked)
    for (const std::size_t i : indices)
      if (i < of.where.size()) of.order.begin(i, of.where, of.me);
}

/// What a list names of a member whose elements this rank does not map.
struct remote_list {
  std::vector<std::size_t> places, numbers;  ///< of the element there, of the entry in the list
};

/// Where a container's elements are reached from here.
template <class T>
class part_addresses {
 public:
  explicit part_addresses(const container_state& s) : state_(s), begin_(std::size_t(s.where.members())) {
    for (rank_t m = 0; m < s.where.members(); ++m)
      if (s.where.count(m) > 0) begin_[std::size_t(m)] = reinterpret_cast<T*>(global_ptr<std::byte>(s.blocks.at(m)).local());
  }
  /// Calls here(k, element) for entries whose elements are mapped; the lists of the others, by member, else.
  template <class Here>
  std::vector<remote_list> each(std::span<const std::size_t> list, Here here) const {
    std::vector<remote_list> far;
    std::array<T*, 32> found;  // their lines are asked for together: each may miss the caches
    for (std::size_t first = 0; first < list.size(); first += found.size()) {
      const std::size_t n = std::min(found.size(), list.size() - first);
      for (std::size_t j = 0; j < n; ++j) found[j] = find(list, first + j, far);
      for (std::size_t j = 0; j < n; ++j)
        if (found[j] != nullptr) [[likely]]
          here(first + j, *found[j]);
    }
    return far;
  }
  global_ptr<T> block(std::size_t member) const { return global_ptr<T>(state_.blocks.at(rank_t(member))); }

 private:
  // The element that entry k names, if it is mapped; else it is noted as far.
  T* find(std::span<const std::size_t> list, std::size_t k, std::vector<remote_list>& far) const {
    if (list[k] >= state_.where.size()) [[unlikely]]
      throw_element(&state_, list[k], state_.where.size());
    const auto [member, place] = state_.where.locate(list[k]);
    T* const begin = begin_[std::size_t(member)];
    if (begin != nullptr) [[likely]] {
      __builtin_prefetch(begin + place, !std::is_const_v<T>);
      return begin + place;
    }
    far.resize(begin_.size());
    far[std::size_t(member)].places.push_back(place);
    far[std::size_t(member)].numbers.push_back(k);
    return nullptr;
  }

  const container_state& state_;
  std::vector<T*> begin_;
};

template <class T>
std::vector<kept_as<T>> chosen(std::span<const T> values, const std::vector<std::size_t>& numbers) {
  std::vector<kept_as<T>> some;
  some.reserve(numbers.size());
  for (const std::size_t k : numbers) some.push_back(values[k]);
  return some;
}

/// A list by the members that have its elements, where these lie in the memory of their rank.
template <class T>
std::vector<remote_list> by_owner(const owned_state<T>& s, std::span<const std::size_t> list) {
  std::vector<remote_list> all(std::size_t(s.where.members()));
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k] >= s.where.size()) [[unlikely]]
      throw_element(&s, list[k], s.where.size());
    const auto [member, place] = s.where.locate(list[k]);
    all[std::size_t(member)].places.push_back(place);
    all[std::size_t(member)].numbers.push_back(k);
  }
  return all;
}

template <class T>
void gather_owned(const owned_state<T>& s, std::span<const std::size_t> indices, std::span<T> into) {
  const std::vector<remote_list> lists = by_owner(s, indices);
  std::vector<future<std::vector<T>>> come(lists.size());
  for (std::size_t m = 0; m < lists.size(); ++m)
    if (!lists[m].places.empty()) come[m] = call(s.name(rank_t(m)).rank(), &copy_places<T>, s.name(rank_t(m)), lists[m].places);
  for (std::size_t m = 0; m < lists.size(); ++m) {
    if (lists[m].places.empty()) continue;
    std::vector<T> some = come[m].get();
    for (std::size_t j = 0; j < some.size(); ++j) into[lists[m].numbers[j]] = std::move(some[j]);
  }
}

/// Additions travel in pieces of so many.
inline constexpr std::size_t most_additions = 4096;

template <class T>
void add_there(const global_ptr<T>& block, const std::vector<std::size_t>& places, const std::vector<T>& values) {
  for (std::size_t k = 0; k < places.size(); ++k) atomic_add(block + std::ptrdiff_t(places[k]), values[k]);
}

template <class T>
void send_additions(const global_ptr<T>& block, const remote_list& list, std::span<const T> values) {
  for (std::size_t first = 0; first < list.places.size(); first += most_additions) {
    const std::size_t n = list.places.size() - first < most_additions ? list.places.size() - first : most_additions;
    const auto places = list.places.begin() + std::ptrdiff_t(first), numbers = list.numbers.begin() + std::ptrdiff_t(first);
    async(block.rank(), &add_there<T>, block, std::vector<std::size_t>(places, places + std::ptrdiff_t(n)),
          chosen(values, std::vector<std::size_t>(numbers, numbers + std::ptrdiff_t(n))));
  }
}

}  // namespace armilla::detail
