// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <type_traits>

#include "armilla/counter.hpp"
#include "armilla/global/memory_state.hpp"
#include "armilla/global/transfer_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Transfers: reads and writes of remote memory that begin now and are complete later, so that they overlap.
///
/// Use them to move blocks, and many elements at once. For a single element whose value you need now, `*p` is simpler; where the
/// receiver should do something with the data, use a call.
///
///     std::vector<double> row(100);
///     am::get(row, p);                       // begins: *p .. *(p + 99) into row
///     compute();
///     am::sync_memory();                     // row is filled
///     am::put(q, row);                       // begins; row may change at once
///     am::sync_memory();                     // q has the data, for every rank that learns of it now
///
/// **Operations.**
///
/// | operation                        | moves                    | complete                                         |
/// |----------------------------------|--------------------------|--------------------------------------------------|
/// | `get(x, p)`, `get(range, p)`     | from p into x or range   | at `sync_memory()`; do not touch x before        |
/// | `put(p, v)`, `put(p, range)`     | v or range to p          | at `sync_memory()`; v may change when it returns |
/// | `store(p, v)`, `store(p, range)` | v or range to p, one-way | at `all_store_sync()` or `fence()`, of all ranks |
///
/// A `range` is anything contiguous with `data()` and `size()`: an array, a span, a vector. It must not overlap the target.
///
/// **With a counter.** `put` and `store` that name a counter on the target's rank add to it after the data (armilla/counter.hpp).
/// **With an event.** `get` and `put` that name an event are complete when the event is (armilla/event.hpp).
///
/// **Order.** Transfers that are not complete have no order, not even those to the same memory.
///
/// **Waiting.** None of these waits, except `sync_memory` and `all_store_sync`. So called functions may use them.
///
/// **Errors.** Throws `usage_error` for null, a range longer than memory, a rank that does not exist, a wrong alignment, and
/// memory that is not open. Errors that only the owner detects are thrown by `sync_memory`, those of a `store` by
/// `all_store_sync`; or by the next fence, on all ranks, if that comes first.
///
/// **Cost.** On mapped memory each is a copy at the speed of memcpy, complete when it returns. Private memory of another process
/// takes a call of the kernel, or messages where the kernel refuses. Over a network, `get` and `put` take a message and its
/// reply, and a counter two more; a `store` of up to 8 KiB is one message, including its counter.
///
/// Paper: Split-C, section 2 (split-phase assignment, store).
namespace armilla {

/// Reads `*p` into `x`.
template <detail::plain_object T>
void get(T& x, const global_ptr<const std::type_identity_t<T>>& p) {
  if (const std::byte* from = detail::direct<alignof(T)>(p.address(), "get", sizeof(T), detail::may_read)) [[likely]]
    std::memcpy(static_cast<void*>(&x), from, sizeof(T));
  else
    detail::count_call(), detail::get_far(&x, p.address(), sizeof(T), alignof(T));
}

/// Reads `p[0]` and the elements after it into a range, as many as it has.
template <class C>
  requires(detail::data_range<C> && !std::is_const_v<detail::value_of_range<C>>)
void get(C&& range, const global_ptr<const std::type_identity_t<detail::value_of_range<C>>>& p) {
  detail::get_bytes(range.data(), p.address(), range.size());
}
template <class T, std::size_t N>
void get(T (&array)[N], const global_ptr<const std::type_identity_t<T>>& p) {
  detail::get_bytes(array, p.address(), N);
}

/// Writes `v` to `*p`.
template <detail::plain_object T>
void put(const global_ptr<T>& p, const std::type_identity_t<T>& v) {
  detail::put_one<detail::remote_group::split>(p, v);
}

/// Writes the elements of a range to `p[0]` and the elements after it.
template <class T, class C>
  requires(detail::range_of<C, T>)
void put(const global_ptr<T>& p, const C& range) {
  detail::put_bytes<detail::remote_group::split>(p.address(), range.data(), range.size());
}
template <class T, std::size_t N>
void put(const global_ptr<T>& p, const std::type_identity_t<T> (&array)[N]) {
  detail::put_bytes<detail::remote_group::split>(p.address(), array, N);
}

/// Writes a value or a range as above, then adds `n` to the counter `arrived`, which is on the target's rank.
template <class T, class V>
  requires(requires(const global_ptr<T>& p, const V& v) { armilla::put(p, v); })
void put(const global_ptr<T>& p, const V& v, const global_ptr<counter>& arrived, std::uint64_t n = 1) {
  detail::require_signals("put", n);
  armilla::put(p, v);
  detail::signal_after(p.address(), arrived, n, "put");
}

/// Writes `v` to `*p`. One-way.
template <detail::plain_object T>
void store(const global_ptr<T>& p, const std::type_identity_t<T>& v) {
  detail::put_one<detail::remote_group::stores>(p, v);
}

/// Writes the elements of a range to `p[0]` and the elements after it. One-way.
template <class T, class C>
  requires(detail::range_of<C, T>)
void store(const global_ptr<T>& p, const C& range) {
  detail::put_bytes<detail::remote_group::stores>(p.address(), range.data(), range.size());
}
template <class T, std::size_t N>
void store(const global_ptr<T>& p, const std::type_identity_t<T> (&array)[N]) {
  detail::put_bytes<detail::remote_group::stores>(p.address(), array, N);
}

/// Writes `v`, or a range, then adds `n` to the counter `arrived`, which is on the target's rank. One-way. If the data take
/// several messages, the last one carries the signal.
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

/// Waits until all `get`, `put` and atomic operations without a result of this rank are complete. Throws the first error among
/// them. Cost: two loads where all memory is mapped.
inline void sync_memory() {
  const detail::memory_state* const m = detail::head_here("sync_memory").memory;
  if (m == nullptr || m->unfinished[unsigned(detail::remote_group::split)] != 0 || m->failed) [[unlikely]]
    detail::sync_slowly();
}

/// Waits until every `store` of every rank is complete. Collective: all ranks call it, and it is a barrier. Throws this rank's
/// first error.
///
/// Paper: Split-C, all_store_sync.
void all_store_sync();

}  // namespace armilla
