// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "armilla/transfer.hpp"

// What the templates of strided.hpp are made of.
namespace armilla {

template <std::size_t N>
struct strided;

namespace detail {

/// The same in bytes.
struct strided_core {
  static constexpr std::size_t most = 8;
  int dimensions = 0;
  std::uint32_t element = 0, alignment = 0;
  std::size_t extent[most] = {};
  std::int64_t local[most] = {}, global[most] = {};
};

template <class T, std::size_t N>
strided_core core_of(const strided<N>& s) {
  static_assert(N <= strided_core::most, "armilla: strided access has at most 8 dimensions");
  static_assert(movable_bytes<T>, "armilla: only trivially copyable objects travel by get and put; use a call");
  strided_core c{int(N), sizeof(T), alignof(T), {}, {}, {}};
  for (std::size_t d = 0; d < N; ++d) {
    c.extent[d] = s.extent[d];
    c.local[d] = s.local[d] * std::int64_t(sizeof(T));
    c.global[d] = s.global[d] * std::int64_t(sizeof(T));
  }
  return c;
}

void copy_strided(bool writes, std::byte* local, global_address at, const strided_core& s, remote_group group,
                  const char* operation);
void copy_indexed(bool writes, std::byte* local, global_address base, const std::size_t* indices, std::size_t n,
                  std::uint32_t element, std::uint32_t alignment, remote_group group, const char* operation);

[[noreturn, gnu::cold]] void throw_lengths(const char* operation, std::size_t elements, std::size_t indices);

template <remote_group Group, class T, std::size_t N>
void write_strided(const global_ptr<T>& to, const T* from, const strided<N>& s) {
  constexpr const char* operation = Group == remote_group::split ? "put_strided" : "store_strided";
  copy_strided(true, reinterpret_cast<std::byte*>(const_cast<T*>(from)), to.address(), core_of<T>(s), Group, operation);
}

template <remote_group Group, class T>
void write_indexed(const global_ptr<T>& base, std::span<const std::size_t> indices, const T* source, std::size_t elements) {
  static_assert(movable_bytes<T>, "armilla: only trivially copyable objects travel by put and store; use a call");
  constexpr const char* operation = Group == remote_group::split ? "put_indexed" : "store_indexed";
  const std::size_t n = indices.size();
  if (n != elements) [[unlikely]]
    throw_lengths(operation, elements, n);
  if (std::byte* p = direct<alignof(T)>(base.address()); p != nullptr && !checked) [[likely]] {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(p + indices[i] * sizeof(T), static_cast<const void*>(source + i), sizeof(T));
    ++(Group == remote_group::split ? current_head->count->puts : current_head->count->stores);
    (Group == remote_group::split ? current_head->count->put_bytes : current_head->count->store_bytes) += n * sizeof(T);
    return;
  }
  copy_indexed(true, reinterpret_cast<std::byte*>(const_cast<T*>(source)), base.address(), indices.data(), n, sizeof(T),
               alignof(T), Group, operation);
}

}  // namespace detail
}  // namespace armilla
