// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "armilla/global/atomic_inline.hpp"
#include "armilla/global/atomic_op.hpp"
#include "armilla/global_ptr.hpp"

/// Atomic operations on memory of any rank: all of them on integers of 32 and 64 bits, add and exchange also on doubles.
///
/// Use them for counters and flags that several ranks change. For many additions at once, `scatter_add` and the containers'
/// `update` need fewer messages.
///
///     const long ticket = am::atomic_fetch_add(next, 1);      // next: a global_ptr<long>
///     am::atomic_add(next, 10);                               // no result: need not be waited for
///     am::sync_memory();
///
/// **Atomic** with respect to all other operations here, to `*p`, and to `std::atomic_ref` by the owner. On mapped memory the
/// processor carries them out, on private memory of another process the owner.
///
/// **Order.** They are sequentially consistent (docs/spec/order.md).
///
/// **Complete.** On mapped memory when they return. Elsewhere, those without a result at `sync_memory`; those with a result wait,
/// which is a `usage_error` in a called function that must not wait.
///
/// **Errors.** As `*p`.
///
/// **Cost.** On mapped memory, `*p` and a locked instruction.
namespace armilla {

/// Adds `v` to the target, and returns its value before.
template <detail::atomic_number T>
T atomic_fetch_add(const global_ptr<T>& p, std::type_identity_t<T> v);

/// Adds `v` to the target.
template <detail::atomic_number T>
void atomic_add(const global_ptr<T>& p, std::type_identity_t<T> v);

/// Adds `v` to each target of `places`: an array of global pointers, or a view that computes them.
///
///     std::vector<am::global_ptr<long>> places;
///     am::atomic_add(places, 1);
///
/// It does the same as a loop of single additions, in order, and is complete when those are. Each addition is atomic, the whole
/// is not. A pointer may be there many times. A view is asked for each pointer up to twice, and must return the same one. Errors
/// are thrown at the first bad pointer; the additions before it have been made. Cost: that of single additions, but the cache
/// line of the pointer 16 ahead is prefetched, so more cache misses overlap.
template <detail::places P>
  requires detail::atomic_number<detail::target_type<P>>
void atomic_add(const P& places, std::type_identity_t<detail::target_type<P>> v);

/// Writes `v` to the target, and returns its value before.
template <detail::atomic_number T>
T atomic_exchange(const global_ptr<T>& p, std::type_identity_t<T> v);

/// Writes `desired` to the target if it equals `expected`, and returns whether it did. Otherwise sets `expected` to its value.
template <detail::atomic_integer T>
bool atomic_compare_exchange(const global_ptr<T>& p, std::type_identity_t<T>& expected, std::type_identity_t<T> desired);

/// Combines the target with `v` by and, and returns its value before.
template <detail::atomic_integer T>
T atomic_fetch_and(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_and")) [[likely]]
    return __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_and, v, T{}, true,
                                  "atomic_fetch_and");
}

/// Combines the target with `v` by or, and returns its value before.
template <detail::atomic_integer T>
T atomic_fetch_or(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_or")) [[likely]]
    return __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_or, v, T{}, true,
                                  "atomic_fetch_or");
}

/// Combines the target with `v` by exclusive or, and returns its value before.
template <detail::atomic_integer T>
T atomic_fetch_xor(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_xor")) [[likely]]
    return __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_xor, v, T{}, true,
                                  "atomic_fetch_xor");
}

/// Combines the target with `v` by and.
template <detail::atomic_integer T>
void atomic_and(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_and")) [[likely]]
    __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_and, v, T{}, false, "atomic_and");
}

/// Combines the target with `v` by or.
template <detail::atomic_integer T>
void atomic_or(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_or")) [[likely]]
    __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_or, v, T{}, false, "atomic_or");
}

/// Combines the target with `v` by exclusive or.
template <detail::atomic_integer T>
void atomic_xor(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_xor")) [[likely]]
    __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_xor, v, T{}, false, "atomic_xor");
}

// ---- Implementation only below ----

template <detail::atomic_number T>
T atomic_fetch_add(const global_ptr<T>& p, std::type_identity_t<T> v) {
  constexpr bool real = std::same_as<T, double>;
  if (T* at = detail::atomic_place(p, "atomic_fetch_add")) [[likely]] {
    if constexpr (real)
      return detail::add_to_double(reinterpret_cast<std::uint64_t*>(at), v);
    else
      return __atomic_fetch_add(at, v, __ATOMIC_SEQ_CST);
  }
  return detail::atomic_slowly<T>(p.address().offset, p.address().where,
                                  real ? detail::atomic_op::add_double : detail::atomic_op::add, v, T{}, true,
                                  "atomic_fetch_add");
}

template <detail::atomic_number T>
void atomic_add(const global_ptr<T>& p, std::type_identity_t<T> v) {
  constexpr bool real = std::same_as<T, double>;
  if (T* at = detail::atomic_place(p, "atomic_add")) [[likely]] {
    if constexpr (real)
      detail::add_to_double(reinterpret_cast<std::uint64_t*>(at), v);
    else
      __atomic_fetch_add(at, v, __ATOMIC_SEQ_CST);
    return;
  }
  detail::atomic_slowly<T>(p.address().offset, p.address().where, real ? detail::atomic_op::add_double : detail::atomic_op::add,
                           v, T{}, false, "atomic_add");
}

template <detail::places P>
  requires detail::atomic_number<detail::target_type<P>>
void atomic_add(const P& places, std::type_identity_t<detail::target_type<P>> v) {
  constexpr std::size_t ahead = 16;  // lines that a core can have under way
  const std::size_t n = places.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + ahead < n)
      if (const std::byte* soon = detail::direct<1>(places[i + ahead].address()); soon != nullptr) [[likely]]
        __builtin_prefetch(soon, 1);
    atomic_add(places[i], v);
  }
}

template <detail::atomic_number T>
T atomic_exchange(const global_ptr<T>& p, std::type_identity_t<T> v) {
  using bits = detail::word_of<sizeof(T)>;
  if (T* at = detail::atomic_place(p, "atomic_exchange")) [[likely]] {
    using word [[gnu::may_alias]] = bits;
    const bits old = __atomic_exchange_n(reinterpret_cast<word*>(at), std::bit_cast<bits>(v), __ATOMIC_SEQ_CST);
    return std::bit_cast<T>(old);
  }
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::exchange, v, T{}, true,
                                  "atomic_exchange");
}

template <detail::atomic_integer T>
bool atomic_compare_exchange(const global_ptr<T>& p, std::type_identity_t<T>& expected, std::type_identity_t<T> desired) {
  if (T* at = detail::atomic_place(p, "atomic_compare_exchange")) [[likely]]
    return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const T wanted = expected;
  expected = detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::compare_exchange, desired, wanted,
                                      true, "atomic_compare_exchange");
  return expected == wanted;
}

}  // namespace armilla
