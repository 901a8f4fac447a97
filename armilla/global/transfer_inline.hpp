// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <type_traits>

#include "armilla/base/core/own_memory.hpp"
#include "armilla/counter.hpp"
#include "armilla/global/memory_state.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/stats/counters.hpp"

// What the templates of transfer.hpp are made of.
namespace armilla {
namespace detail {

template <class C>
concept data_range = requires(C& c) {
  { *c.data() };
  { c.size() } -> std::convertible_to<std::size_t>;
};
template <class C>
using value_of_range = std::remove_pointer_t<decltype(std::declval<C&>().data())>;
template <class T>
concept movable_bytes = std::is_trivially_copyable_v<T>;
/// One object: no array, and trivially copyable.
template <class T>
concept plain_object = movable_bytes<T> && !std::is_array_v<T>;

void get_far(void* into, global_address from, std::uint64_t bytes, std::uint32_t alignment);
void put_far(global_address to, const void* from, std::uint64_t bytes, std::uint32_t alignment, remote_group group,
             const char* operation);
/// Throws unless the counter lies where the data go.
void signal_after(global_address data, const global_ptr<counter>& c, std::uint64_t n, const char* operation);
/// A store, then the signal: in one message where both go by messages and fit.
void store_far(global_address to, const void* from, std::uint64_t bytes, std::uint32_t alignment, const global_ptr<counter>& c,
               std::uint64_t n);

/// The elements of one `get`, `put` or `store`, as its rare path has to know them.
struct elements_kind {
  std::size_t size;
  std::uint32_t alignment;
  remote_group group;
  const char* operation;
};
/// Not copied at once: counts the call, throws what is wrong with the elements or the pointer, or moves them by messages.
void get_elements(void* into, global_address from, std::size_t n, const elements_kind& what);
void put_elements(global_address to, const void* from, std::size_t n, const elements_kind& what);

// Budget: beside `direct` three comparisons. What follows is the copy, and the last thing: so no register has to be saved.
template <class T>
void get_bytes(T* into, global_address from, std::size_t n) {
  static_assert(movable_bytes<T>, "armilla: only trivially copyable objects travel by get; use a call");
  static constexpr elements_kind what{sizeof(T), alignof(T), remote_group::split, "get"};
  const std::byte* const p = direct_range<alignof(T), sizeof(T)>(from, into, n, what.operation, may_read);
  if (p == nullptr) [[unlikely]]
    return get_elements(into, from, n, what);
  ++current_head->count->gets;
  current_head->count->get_bytes += n * sizeof(T);
  std::memcpy(static_cast<void*>(into), p, n * sizeof(T));
}

/// Copies and counts where the target is mapped; else false.
template <remote_group Group, class T>
[[gnu::always_inline]] inline bool put_near(global_address to, const T* from, std::size_t n, const char* operation) {
  std::byte* const p = direct_range<alignof(T), sizeof(T)>(to, from, n, operation, may_write);
  if (p == nullptr) [[unlikely]]
    return false;
  ++(Group == remote_group::split ? current_head->count->puts : current_head->count->stores);
  (Group == remote_group::split ? current_head->count->put_bytes : current_head->count->store_bytes) += n * sizeof(T);
  std::memcpy(p, static_cast<const void*>(from), n * sizeof(T));
  return true;
}

template <remote_group Group, class T>
void put_bytes(global_address to, const T* from, std::size_t n) {
  static_assert(movable_bytes<T>, "armilla: only trivially copyable objects travel by put and store; use a call");
  static constexpr elements_kind what{sizeof(T), alignof(T), Group, Group == remote_group::split ? "put" : "store"};
  if (!put_near<Group>(to, from, n, what.operation)) [[unlikely]]
    put_elements(to, from, n, what);
}

template <remote_group Group, class T>
void put_one(const global_ptr<T>& to, const T& value) {
  constexpr const char* operation = Group == remote_group::split ? "put" : "store";
  if (std::byte* p = direct<alignof(T)>(to.address(), operation, sizeof(T), may_write)) [[likely]]
    std::memcpy(p, &value, sizeof(T));
  else
    count_call(), put_far(to.address(), &value, sizeof(T), alignof(T), Group, operation);
}

/// Stores, then the signal.
template <class T>
void store_bytes(global_address to, const T* from, std::size_t n, const global_ptr<counter>& c, std::uint64_t signals) {
  static_assert(movable_bytes<T>, "armilla: only trivially copyable objects travel by put and store; use a call");
  require_signals("store", signals);
  if (put_near<remote_group::stores>(to, from, n, "store")) [[likely]]
    return signal_after(to, c, signals, "store");
  require_own_memory(from, n, sizeof(T), "store");
  count_call();
  store_far(to, from, n * sizeof(T), alignof(T), c, signals);
}
template <class T>
void store_one(const global_ptr<T>& to, const T& value, const global_ptr<counter>& c, std::uint64_t signals) {
  require_signals("store", signals);
  if (std::byte* p = direct<alignof(T)>(to.address(), "store", sizeof(T), may_write)) [[likely]]
    std::memcpy(p, &value, sizeof(T)), signal_after(to.address(), c, signals, "store");
  else
    count_call(), store_far(to.address(), &value, sizeof(T), alignof(T), c, signals);
}

/// What the ranges of put and store must be.
template <class C, class T>
concept range_of = data_range<const C> && std::same_as<std::remove_cv_t<value_of_range<const C>>, T>;

}  // namespace detail
}  // namespace armilla
