// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>

#include "armilla/global/strided_inline.hpp"
#include "armilla/transfer.hpp"

/// Transfers that select elements: rectangular parts of arrays, and lists of indices.
///
///     am::strided<2> block{.extent = {rows, columns}, .local = {leading, 1}, .global = {leading, 1}};
///     am::get_strided(mine.data(), p, block);              // begins
///     am::sync_memory();                                   // complete
///
/// **Complete.** `get_...` and `put_...` as `get` and `put`: at `sync_memory`. `store_...` as `store`: at `all_store_sync` or
/// `fence`. Those with a counter add to it after the data. See armilla/transfer.hpp for errors and order.
///
/// **Cost.** Runs that are contiguous on both sides move in one piece. On mapped memory, that of the same loops by hand.
namespace armilla {

/// A part of an array of N dimensions, the last one innermost: the number of elements in each dimension, and the distance from
/// one element to the next in local and in global memory, in elements. Distances may be negative.
template <std::size_t N>
struct strided {
  std::array<std::size_t, N> extent{};
  std::array<std::ptrdiff_t, N> local{};
  std::array<std::ptrdiff_t, N> global{};
};

/// Reads the part `s` of the array at `from` into the array at `into`.
template <class T, std::size_t N>
void get_strided(T* into, const global_ptr<const std::type_identity_t<T>>& from, const strided<N>& s) {
  detail::copy_strided(false, reinterpret_cast<std::byte*>(into), from.address(), detail::core_of<T>(s),
                       detail::remote_group::split, "get_strided");
}

/// Writes the part `s` of the array at `from` to the array at `to`.
template <class T, std::size_t N>
void put_strided(const global_ptr<T>& to, const std::type_identity_t<T>* from, const strided<N>& s) {
  detail::write_strided<detail::remote_group::split, T>(to, from, s);
}

/// Writes as above, then adds `n` to the counter `arrived`.
template <class T, std::size_t N>
void put_strided(const global_ptr<T>& to, const std::type_identity_t<T>* from, const strided<N>& s,
                 const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("put_strided", n);
  armilla::put_strided(to, from, s);
  detail::signal_after(to.address(), arrived, n, "put_strided");
}

/// Writes as `put_strided`, one-way.
template <class T, std::size_t N>
void store_strided(const global_ptr<T>& to, const std::type_identity_t<T>* from, const strided<N>& s) {
  detail::write_strided<detail::remote_group::stores, T>(to, from, s);
}

/// Writes as above, then adds `n` to the counter `arrived`.
template <class T, std::size_t N>
void store_strided(const global_ptr<T>& to, const std::type_identity_t<T>* from, const strided<N>& s,
                   const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("store_strided", n);
  armilla::store_strided(to, from, s);
  detail::signal_after(to.address(), arrived, n, "store_strided");
}

/// Reads `base[indices[i]]` into `into[i]` for each i. There are as many indices as elements of `into` (an array, a span, a
/// vector).
template <class C>
  requires(detail::data_range<C> && !std::is_const_v<detail::value_of_range<C>>)
void get_indexed(C&& into, const global_ptr<const std::type_identity_t<detail::value_of_range<C>>>& base,
                 std::span<const std::size_t> indices);

/// Writes `from[i]` to `base[indices[i]]` for each i. If an index occurs twice, either value may remain.
template <class T, class C>
  requires(detail::range_of<C, T>)
void put_indexed(const global_ptr<T>& base, const C& from, std::span<const std::size_t> indices) {
  detail::write_indexed<detail::remote_group::split, T>(base, indices, from.data(), from.size());
}

/// Writes as above, then adds `n` to the counter `arrived`.
template <class T, class C>
  requires(detail::range_of<C, T>)
void put_indexed(const global_ptr<T>& base, const C& from, std::span<const std::size_t> indices,
                 const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("put_indexed", n);
  armilla::put_indexed(base, from, indices);
  detail::signal_after(base.address(), arrived, n, "put_indexed");
}

/// Writes as `put_indexed`, one-way.
template <class T, class C>
  requires(detail::range_of<C, T>)
void store_indexed(const global_ptr<T>& base, const C& from, std::span<const std::size_t> indices) {
  detail::write_indexed<detail::remote_group::stores, T>(base, indices, from.data(), from.size());
}

/// Writes as above, then adds `n` to the counter `arrived`.
template <class T, class C>
  requires(detail::range_of<C, T>)
void store_indexed(const global_ptr<T>& base, const C& from, std::span<const std::size_t> indices,
                   const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("store_indexed", n);
  armilla::store_indexed(base, from, indices);
  detail::signal_after(base.address(), arrived, n, "store_indexed");
}

// ---- Implementation only below ----

template <class C>
  requires(detail::data_range<C> && !std::is_const_v<detail::value_of_range<C>>)
void get_indexed(C&& into, const global_ptr<const std::type_identity_t<detail::value_of_range<C>>>& base,
                 std::span<const std::size_t> indices) {
  using T = detail::value_of_range<C>;
  static_assert(detail::movable_bytes<T>, "armilla: only trivially copyable objects travel by get; use a call");
  T* const to = into.data();
  const std::size_t n = indices.size();
  if (n != into.size()) [[unlikely]]
    detail::throw_lengths("get_indexed", into.size(), n);
  if (const std::byte* p = detail::direct<alignof(T)>(base.address()); p != nullptr && !detail::checked) [[likely]] {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(static_cast<void*>(to + i), p + indices[i] * sizeof(T), sizeof(T));
    ++detail::current_head->count->gets;
    detail::current_head->count->get_bytes += n * sizeof(T);
    return;
  }
  detail::copy_indexed(false, reinterpret_cast<std::byte*>(to), base.address(), indices.data(), n, sizeof(T), alignof(T),
                       detail::remote_group::split, "get_indexed");
}

}  // namespace armilla
