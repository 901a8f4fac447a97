// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "armilla/global/atomic_inline.hpp"
#include "armilla/global/atomic_op.hpp"
#include "armilla/global_ptr.hpp"

/// Atomic operations on memory of any rank: on 32 and 64 bit integers all, on doubles add and exchange.
///
/// Each is atomic with respect to all others here, to `*p` and to std::atomic_ref with which the owner may touch the same
/// object, wherever it lies: on mapped memory the processor does it, on private memory of another process the owner. They
/// are sequentially consistent (docs/spec/order.md). Those without a result need not be waited for: on mapped memory they
/// are complete when they return, else at `sync_memory`. Those with one must wait for private memory of another process: there
/// they are errors in a body that never waits. Cost on mapped memory: `*p` and the processor's locked instruction. Errors: as
/// `*p`.
namespace armilla {

/// Adds `v` to the target and returns what was there before.
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

/// Adds `v` to the target.
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

/// Adds `v` to each target of `places`: an array of global pointers, or a view that makes them, such as
/// `std::views::transform(indices, [&](auto i) { return parts[i / n] + i % n; })`. A view is asked for each place up to twice,
/// and must give the same one. A place may be there many times.
///
/// The same as a loop of single additions, in order, and complete when those are: each is atomic, the whole is not. Errors: as
/// `*p`, at the first bad place; what stands before it has been added. Cost: that of the single ones, but the cache line of the
/// place 16 ahead is asked for each time. So more misses are under way at once than the processor finds by looking ahead itself.
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

/// Puts `v` there and returns what was there before.
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

/// Puts `desired` there if the target equals `expected`, and says so; else `expected` becomes what is there.
template <detail::atomic_integer T>
bool atomic_compare_exchange(const global_ptr<T>& p, std::type_identity_t<T>& expected, std::type_identity_t<T> desired) {
  if (T* at = detail::atomic_place(p, "atomic_compare_exchange")) [[likely]]
    return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const T wanted = expected;
  expected = detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::compare_exchange, desired, wanted,
                                      true, "atomic_compare_exchange");
  return expected == wanted;
}

/// target &= v, |= v, ^= v; the `fetch` forms return what was there before.
template <detail::atomic_integer T>
T atomic_fetch_and(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_and")) [[likely]]
    return __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_and, v, T{}, true,
                                  "atomic_fetch_and");
}
template <detail::atomic_integer T>
T atomic_fetch_or(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_or")) [[likely]]
    return __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_or, v, T{}, true,
                                  "atomic_fetch_or");
}
template <detail::atomic_integer T>
T atomic_fetch_xor(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_fetch_xor")) [[likely]]
    return __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST);
  return detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_xor, v, T{}, true,
                                  "atomic_fetch_xor");
}
template <detail::atomic_integer T>
void atomic_and(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_and")) [[likely]]
    __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_and, v, T{}, false, "atomic_and");
}
template <detail::atomic_integer T>
void atomic_or(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_or")) [[likely]]
    __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_or, v, T{}, false, "atomic_or");
}
template <detail::atomic_integer T>
void atomic_xor(const global_ptr<T>& p, std::type_identity_t<T> v) {
  if (T* at = detail::atomic_place(p, "atomic_xor")) [[likely]]
    __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST);
  else
    detail::atomic_slowly<T>(p.address().offset, p.address().where, detail::atomic_op::bit_xor, v, T{}, false, "atomic_xor");
}

}  // namespace armilla
