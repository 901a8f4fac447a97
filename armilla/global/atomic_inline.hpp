// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/global/atomic_op.hpp"
#include "armilla/global_ptr.hpp"

// What the templates of atomic.hpp are made of.
namespace armilla {
namespace detail {

template <class T>
concept atomic_integer = std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept atomic_number = atomic_integer<T> || std::same_as<T, double>;

template <class T>
[[gnu::noinline, gnu::cold]] T atomic_slowly(std::uint64_t offset, std::uint64_t where, atomic_op op, T operand, T expected,
                                             bool wants_old, const char* operation) {
  using bits = word_of<sizeof(T)>;
  const std::uint64_t old = atomic_far({offset, where}, op, sizeof(T), std::bit_cast<bits>(operand),
                                       std::bit_cast<bits>(expected), wants_old, operation);
  return std::bit_cast<T>(bits(old));
}

inline double add_to_double(std::uint64_t* at, double value) noexcept {
  using word [[gnu::may_alias]] = std::uint64_t;
  word* const p = reinterpret_cast<word*>(at);
  std::uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + value), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
  return std::bit_cast<double>(old);
}

/// Where the processor can do it, or null.
template <class T>
[[gnu::always_inline]] inline T* atomic_place(const global_ptr<T>& p, const char* operation) {
  return reinterpret_cast<T*>(direct<alignof(T)>(p.address(), operation, sizeof(T), may_read | may_write));
}

/// A range that gives a global pointer for each index, and may make it only when it is asked.
template <class P>
concept places = requires(const P& p, std::size_t i) {
  { p.size() } -> std::convertible_to<std::size_t>;
  typename std::remove_cvref_t<decltype(p[i])>::element_type;
  requires std::same_as<std::remove_cvref_t<decltype(p[i])>,
                        global_ptr<typename std::remove_cvref_t<decltype(p[i])>::element_type>>;
};
/// What they point to.
template <places P>
using target_type = typename std::remove_cvref_t<decltype(std::declval<const P&>()[std::size_t{}])>::element_type;

}  // namespace detail
}  // namespace armilla
