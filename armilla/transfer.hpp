// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <type_traits>

#include "armilla/counter.hpp"
#include "armilla/global/memory_state.hpp"
#include "armilla/global/transfer_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Access that overlaps: begun now, complete later.
///
/// | operation                        | moves                  | complete at                                        |
/// |----------------------------------|------------------------|----------------------------------------------------|
/// | `get(x, p)`, `get(range, p)`     | from p into x or range | `sync_memory()`; do not touch x before             |
/// | `put(p, v)`, `put(p, range)`     | v or range to p        | `sync_memory()`; v and range change as put returns |
/// | `store(p, v)`, `store(p, range)` | the same, one-way      | `all_store_sync()` or `fence()`, for all ranks     |
///
/// `range` is an array, a span, a vector, anything contiguous with data() and size(); it and the target do not overlap.
/// `put` and `store` with a counter at the target's rank add to it after the data (see counter). `get` and `put` with an event
/// are complete when that is (see event). None of these waits, so all may be used in a body. Where memory is mapped each is a
/// copy, complete when it returns, at the speed of memcpy; private memory of another process costs a kernel call, or messages
/// where that is refused. Over a network a `get` or `put` is a message and its reply, and a counter two more; a `store` of up to
/// 8 KiB is one message, its counter included. Errors: usage_error for null, a range longer than memory, rank, alignment, memory
/// that is not open; those that only the owner can see come at `sync_memory`, of a `store` at `all_store_sync`. Paper: Split-C,
/// section 2 (split-phase assignment, store).
namespace armilla {

/// x := *p.
template <detail::plain_object T>
void get(T& x, const global_ptr<const std::type_identity_t<T>>& p) {
  if (const std::byte* from = detail::direct<alignof(T)>(p.address(), "get", sizeof(T), detail::may_read)) [[likely]]
    std::memcpy(static_cast<void*>(&x), from, sizeof(T));
  else
    detail::count_call(), detail::get_far(&x, p.address(), sizeof(T), alignof(T));
}
/// range := p[0 .. range.size()).
template <class C>
  requires(detail::data_range<C> && !std::is_const_v<detail::value_of_range<C>>)
void get(C&& range, const global_ptr<const std::type_identity_t<detail::value_of_range<C>>>& p) {
  detail::get_bytes(range.data(), p.address(), range.size());
}
template <class T, std::size_t N>
void get(T (&array)[N], const global_ptr<const std::type_identity_t<T>>& p) {
  detail::get_bytes(array, p.address(), N);
}

/// *p := v.
template <detail::plain_object T>
void put(const global_ptr<T>& p, const std::type_identity_t<T>& v) {
  detail::put_one<detail::far_group::split>(p, v);
}
/// p[0 .. range.size()) := range.
template <class T, class C>
  requires(detail::range_of<C, T>)
void put(const global_ptr<T>& p, const C& range) {
  detail::put_bytes<detail::far_group::split>(p.address(), range.data(), range.size());
}
template <class T, std::size_t N>
void put(const global_ptr<T>& p, const std::type_identity_t<T> (&array)[N]) {
  detail::put_bytes<detail::far_group::split>(p.address(), array, N);
}
/// The same, then `arrived` += `n`.
template <class T, class V>
  requires(requires(const global_ptr<T>& p, const V& v) { armilla::put(p, v); })
void put(const global_ptr<T>& p, const V& v, const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("put", n);
  armilla::put(p, v);
  detail::signal_after(p.address(), arrived, n, "put");
}

/// *p := v, one-way.
template <detail::plain_object T>
void store(const global_ptr<T>& p, const std::type_identity_t<T>& v) {
  detail::put_one<detail::far_group::stores>(p, v);
}
template <class T, class C>
  requires(detail::range_of<C, T>)
void store(const global_ptr<T>& p, const C& range) {
  detail::put_bytes<detail::far_group::stores>(p.address(), range.data(), range.size());
}
template <class T, std::size_t N>
void store(const global_ptr<T>& p, const std::type_identity_t<T> (&array)[N]) {
  detail::put_bytes<detail::far_group::stores>(p.address(), array, N);
}
/// The same, then `arrived` += `n`. Where the data go by messages, and not whole, the last of these takes the signal along.
template <detail::plain_object T>
void store(const global_ptr<T>& p, const std::type_identity_t<T>& v, const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::store_one(p, v, arrived, n);
}
template <class T, class C>
  requires(detail::range_of<C, T>)
void store(const global_ptr<T>& p, const C& range, const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::store_bytes(p.address(), range.data(), range.size(), arrived, n);
}
template <class T, std::size_t N>
void store(const global_ptr<T>& p, const std::type_identity_t<T> (&array)[N], const global_ptr<counter>& arrived,
           std::uint64_t n = 1) {
  detail::store_bytes(p.address(), array, N, arrived, n);
}

namespace detail {

void sync_slowly();
}

/// Returns when all `get`, `put` and result-less atomic operations of this rank are complete. Throws the first error among
/// them. Where all memory is mapped: two loads.
inline void sync_memory() {
  const detail::memory_state* const m = detail::head_here("sync_memory").memory;
  if (m == nullptr || m->unfinished[unsigned(detail::far_group::split)] != 0 || m->failed) [[unlikely]]
    detail::sync_slowly();
}

/// Returns when every `store` of every rank is complete: a barrier, called by all. Throws this rank's first error.
/// Paper: Split-C, all_store_sync.
void all_store_sync();

}  // namespace armilla
