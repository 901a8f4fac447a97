// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "armilla/algorithm/walk.hpp"
#include "armilla/container/array.hpp"
#include "armilla/global/atomic.hpp"
#include "armilla/global/strided.hpp"
#include "armilla/rpc/statement.hpp"

/// Access to many elements whose indices are a list: each rank for itself, no collective. Where this rank maps the elements they
/// are used in place; the others travel in one message, or few, for each rank that has some.
namespace armilla {
namespace detail {

[[noreturn, gnu::cold]] void throw_unlike_lists(const char* operation, std::size_t indices, std::size_t values);

/// What a list names of a member whose elements this rank does not map.
struct far_list {
  std::vector<std::size_t> places, numbers;  ///< of the element there, of the entry in the list
};

/// Where a container's elements are reached from here.
template <class T>
class reachable {
 public:
  explicit reachable(const container_state& s) : state_(s), begin_(std::size_t(s.where.members())) {
    for (rank_t m = 0; m < s.where.members(); ++m)
      if (s.where.count(m) > 0) begin_[std::size_t(m)] = reinterpret_cast<T*>(global_ptr<std::byte>(s.blocks.at(m)).local());
  }
  /// Calls here(k, element) for entries whose elements are mapped; the lists of the others, by member, else.
  template <class Here>
  std::vector<far_list> each(std::span<const std::size_t> list, Here here) const {
    std::vector<far_list> far;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k] >= state_.where.size()) [[unlikely]]
        throw_element(list[k], state_.where.size());
      const auto [member, place] = state_.where.locate(list[k]);
      if (T* const at = begin_[std::size_t(member)]) [[likely]] {
        here(k, at[place]);
      } else {
        far.resize(begin_.size());
        far[std::size_t(member)].places.push_back(place);
        far[std::size_t(member)].numbers.push_back(k);
      }
    }
    return far;
  }
  global_ptr<T> block(std::size_t member) const { return global_ptr<T>(state_.blocks.at(rank_t(member))); }

 private:
  const container_state& state_;
  std::vector<T*> begin_;
};

template <class T>
std::vector<T> chosen(std::span<const T> values, const std::vector<std::size_t>& numbers) {
  std::vector<T> some;
  some.reserve(numbers.size());
  for (const std::size_t k : numbers) some.push_back(values[k]);
  return some;
}

/// Additions travel in pieces of so many.
inline constexpr std::size_t most_additions = 4096;

template <class T>
void add_there(const global_ptr<T>& block, const std::vector<std::size_t>& places, const std::vector<T>& values) {
  for (std::size_t k = 0; k < places.size(); ++k) atomic_add(block + std::ptrdiff_t(places[k]), values[k]);
}

template <class T>
void send_additions(const global_ptr<T>& block, const far_list& list, std::span<const T> values) {
  for (std::size_t first = 0; first < list.places.size(); first += most_additions) {
    const std::size_t n = list.places.size() - first < most_additions ? list.places.size() - first : most_additions;
    const auto places = list.places.begin() + std::ptrdiff_t(first), numbers = list.numbers.begin() + std::ptrdiff_t(first);
    async(block.rank(), &add_there<T>, block, std::vector<std::size_t>(places, places + std::ptrdiff_t(n)),
          chosen(values, std::vector<std::size_t>(numbers, numbers + std::ptrdiff_t(n))));
  }
}

}  // namespace detail

/// into[k] = x[indices[k]], complete when it returns. usage_error for an index beyond the end, or lists of two lengths.
template <class T>
void gather(const array<T>& x, std::span<const std::size_t> indices, std::span<std::type_identity_t<T>> into) {
  if (indices.size() != into.size()) detail::throw_unlike_lists("gather", indices.size(), into.size());
  const detail::reachable<const T> from(x.state());
  const auto far = from.each(indices, [&](std::size_t k, const T& e) { into[k] = e; });
  std::vector<std::vector<T>> come(far.size());
  for (std::size_t m = 0; m < far.size(); ++m) {
    come[m].resize(far[m].places.size());
    if (!come[m].empty()) get_indexed(come[m], from.block(m), far[m].places);
  }
  if (!far.empty()) sync_memory();
  for (std::size_t m = 0; m < far.size(); ++m)
    for (std::size_t j = 0; j < come[m].size(); ++j) into[far[m].numbers[j]] = come[m][j];
}
/// The same as a vector.
template <class T>
std::vector<T> gather(const array<T>& x, std::span<const std::size_t> indices) {
  std::vector<T> all(indices.size());
  armilla::gather(x, indices, all);
  return all;
}

/// x[indices[k]] = values[k]: a statement, complete at the fence. If two ranks or two entries name one element, one of them wins.
template <class T>
void scatter(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values) {
  if (indices.size() != values.size()) detail::throw_unlike_lists("scatter", indices.size(), values.size());
  const detail::reachable<T> to(x.state());
  const auto far = to.each(indices, [&](std::size_t k, T& e) { e = values[k]; });
  for (std::size_t m = 0; m < far.size(); ++m)
    if (!far[m].places.empty()) store_indexed(to.block(m), detail::chosen(values, far[m].numbers), far[m].places);
}

/// x[indices[k]] += values[k], atomically: any ranks may add to the same elements. A statement, complete at the fence. T is an
/// integer of 32 or 64 bits, or double.
template <detail::atomic_number T>
void scatter_add(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values) {
  if (indices.size() != values.size()) detail::throw_unlike_lists("scatter_add", indices.size(), values.size());
  const detail::reachable<T> to(x.state());
  const auto far = to.each(indices, [&](std::size_t k, T& e) {
    if constexpr (std::same_as<T, double>)
      detail::add_to_double(reinterpret_cast<std::uint64_t*>(&e), values[k]);
    else
      __atomic_fetch_add(&e, values[k], __ATOMIC_SEQ_CST);
  });
  for (std::size_t m = 0; m < far.size(); ++m) detail::send_additions(to.block(m), far[m], values);
}

}  // namespace armilla
