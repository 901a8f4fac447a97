// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "armilla/container/place/owned_state.hpp"
#include "armilla/container/place/update_op.hpp"
#include "armilla/hints.hpp"
#include "armilla/rpc/callable.hpp"

/// Bodies about one element of an array, on the rank that has it.
namespace armilla::detail {

/// An element as its own rank finds it.
template <class T>
struct element_in_segment {
  global_ptr<T> at;
  T& here() const { return *at.local(); }
};
template <class T>
struct element_in_part {
  part_name<T> part;
  std::size_t place;
  T& here() const { return part_here(part)[place]; }
};

/// A user's function, called with the element.
template <class T, class F>
struct element_body {
  F f;

  template <class At, class... A>
    requires std::is_invocable_v<F&, T&, A&...>
  auto operator()(At element, A... arguments) {
    return f(element.here(), arguments...);
  }
};
template <class T, class F>
auto about_element(const F& f, const char* operation) {
  return element_body<T, typename callable_of<F>::type>{callable_of<F>::portable(f, operation)};
}

/// The element becomes the value. Elements that are stored in segments are trivially copyable, and need not be sendable.
struct assigned {
  template <class T>
  void operator()(T& element, T& value) const {
    element = std::move(value);
  }
};
struct assigned_bytes {
  template <class T>
  void operator()(T& element, std::array<std::byte, sizeof(T)>& value) const {
    std::memcpy(static_cast<void*>(&element), value.data(), sizeof element);
  }
};
template <class T>
std::array<std::byte, sizeof(T)> bytes_of_element(const T& value) noexcept {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), static_cast<const void*>(&value), sizeof value);
  return bytes;
}

/// The element becomes op(it, value).
template <class Op>
struct updated_by {
  template <class T>
  void operator()(T& element, T& value) const {
    element = Op{}(std::move(element), std::move(value));
  }
};

}  // namespace armilla::detail
