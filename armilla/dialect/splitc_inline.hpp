// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "armilla/counter.hpp"
#include "armilla/mutex.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/spread_ptr.hpp"

// What the templates of the Split-C headers are made of.
namespace armilla::splitc {

template <class T>
class global_pointer;
template <class T>
class spread_pointer;

namespace detail {

/// Bytes that signalling stores have brought to a processor, and `store_sync` has not taken off.
[[gnu::visibility("default")]] inline per_rank<counter> stores_arrived;
/// What atomic functions of a processor exclude each other by.
[[gnu::visibility("default")]] inline per_rank<mutex> atomic_functions;

template <class P>
inline constexpr bool is_pointer = false;
template <class T>
inline constexpr bool is_pointer<global_pointer<T>> = true;
template <class T>
inline constexpr bool is_pointer<spread_pointer<T>> = true;

// Bulk transfers count bytes.
inline std::span<std::byte> bytes_at(void* p, std::size_t n) { return {static_cast<std::byte*>(p), n}; }
inline std::span<const std::byte> bytes_at(const void* p, std::size_t n) { return {static_cast<const std::byte*>(p), n}; }
inline global_ptr<std::byte> bytes_at(const global_ptr<void>& p) { return reinterpret_pointer_cast<std::byte>(p); }
inline global_ptr<const std::byte> bytes_at(const global_ptr<const void>& p) {
  return reinterpret_pointer_cast<const std::byte>(p);
}

void* local_part(const armilla::detail::global_address& at);
armilla::detail::global_address on_processor(rank_t proc, const void* mine);
/// Spread arithmetic of an address in a process: a static variable has another address in each. `bytes`: of an element.
armilla::detail::global_address spread_static(armilla::detail::global_address at, std::ptrdiff_t n, std::size_t bytes);
/// Elements from b to a, in the order of spread arithmetic.
std::ptrdiff_t spread_distance(armilla::detail::global_address a, armilla::detail::global_address b, std::size_t bytes);

template <class T>
global_ptr<T> spread_by(const global_ptr<T>& p, std::ptrdiff_t n) {
  if (p.address().kind() != armilla::detail::memory_kind::process) [[likely]]
    return p.spread(n);
  return global_ptr<T>(spread_static(p.address(), n, sizeof(T)));
}

}  // namespace detail
}  // namespace armilla::splitc
