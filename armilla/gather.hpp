// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include "armilla/algorithm/elementwise/gather_inline.hpp"

/// Reads and writes of many elements of an array by a list of indices.
///
/// Not collective: each rank calls them for itself. Elements that this rank maps are used in place; the others are sent in one
/// message, or few, for each rank that has some.
///
///     const std::vector<std::size_t> indices = {3, 999, 500, 3};
///     const std::vector<double> values = am::gather(x, indices);       // complete when it returns
///     am::scatter_add(x, indices, 1.0);                                // one-way: complete at the fence
///     am::fence();
///
/// **Errors.** Throws `usage_error` for an index beyond the end, and for lists of different lengths.
namespace armilla {

/// Sets `into[k]` to `x[indices[k]]` for each k. Complete when it returns.
template <class T>
void gather(const array<T>& x, std::span<const std::size_t> indices, std::span<std::type_identity_t<T>> into);

/// Returns `x[indices[k]]` for each k, as a vector.
template <class T>
std::vector<T> gather(const array<T>& x, std::span<const std::size_t> indices);

/// Sets `x[indices[k]]` to `values[k]` for each k. One-way, complete at the fence. If two ranks or two entries name one element,
/// one of them wins.
template <class T>
void scatter(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values);

/// Adds `values[k]` to `x[indices[k]]` for each k, atomically: any ranks may add to the same elements. One-way, complete at the
/// fence. `T` is an integer of 32 or 64 bits, or double.
template <detail::atomic_number T>
void scatter_add(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values);

/// Adds `value` to `x[indices[k]]` for each k: with 1, a histogram of the indices.
template <detail::atomic_number T>
void scatter_add(array<T>& x, std::span<const std::size_t> indices, std::type_identity_t<T> value) {
  armilla::scatter_add(x, indices, std::vector<T>(indices.size(), value));
}

// ---- Implementation only below ----

template <class T>
void gather(const array<T>& x, std::span<const std::size_t> indices, std::span<std::type_identity_t<T>> into) {
  if (indices.size() != into.size()) detail::throw_unlike_lists("gather", indices.size(), into.size());
  if constexpr (!detail::lies_in_segments<T>) {
    detail::gather_owned(x.state(), indices, into);
  } else {
    const detail::part_addresses<const T> from(x.state());
    const auto far = from.each(indices, [&](std::size_t k, const T& e) { into[k] = e; });
    std::vector<std::vector<detail::kept_as<T>>> come(far.size());
    for (std::size_t m = 0; m < far.size(); ++m) {
      come[m].resize(far[m].places.size());
      if (!come[m].empty()) get_indexed(detail::as_elements<T>(come[m]), from.block(m), far[m].places);
    }
    if (!far.empty()) sync_memory();
    for (std::size_t m = 0; m < far.size(); ++m)
      for (std::size_t j = 0; j < come[m].size(); ++j) into[far[m].numbers[j]] = T(come[m][j]);
  }
}

template <class T>
std::vector<T> gather(const array<T>& x, std::span<const std::size_t> indices) {
  std::vector<detail::kept_as<T>> all(indices.size());
  armilla::gather(x, indices, detail::as_elements<T>(all));
  if constexpr (std::is_same_v<T, bool>)
    return {all.begin(), all.end()};
  else
    return all;
}

template <class T>
void scatter(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values) {
  if (indices.size() != values.size()) detail::throw_unlike_lists("scatter", indices.size(), values.size());
  detail::begin_changes<T>(x.state(), indices);
  if constexpr (detail::lies_in_segments<T>) {
    const detail::part_addresses<T> to(x.state());
    const auto far = to.each(indices, [&](std::size_t k, T& e) { e = values[k]; });
    for (std::size_t m = 0; m < far.size(); ++m)
      if (!far[m].places.empty())
        store_indexed(to.block(m), detail::as_elements<T>(detail::chosen(values, far[m].numbers)), far[m].places);
  } else {
    const std::vector<detail::remote_list> lists = detail::by_owner(x.state(), indices);
    for (std::size_t m = 0; m < lists.size(); ++m)
      if (const auto part = x.state().name(rank_t(m)); !lists[m].places.empty())
        async(part.rank(), &detail::write_places<T>, part, lists[m].places, detail::chosen(values, lists[m].numbers));
  }
}

template <detail::atomic_number T>
void scatter_add(array<T>& x, std::span<const std::size_t> indices, std::span<const std::type_identity_t<T>> values) {
  if (indices.size() != values.size()) detail::throw_unlike_lists("scatter_add", indices.size(), values.size());
  detail::begin_changes<T>(x.state(), indices);
  const detail::part_addresses<T> to(x.state());
  const auto far = to.each(indices, [&](std::size_t k, T& e) {
    if constexpr (std::same_as<T, double>)
      detail::add_to_double(reinterpret_cast<std::uint64_t*>(&e), values[k]);
    else
      __atomic_fetch_add(&e, values[k], __ATOMIC_SEQ_CST);
  });
  for (std::size_t m = 0; m < far.size(); ++m) detail::send_additions(to.block(m), far[m], values);
}

}  // namespace armilla
