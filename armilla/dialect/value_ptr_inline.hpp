// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <type_traits>
#include <utility>

#include "armilla/base/error.hpp"
#include "armilla/global/global_ptr.hpp"
#include "armilla/object/remote.hpp"
#include "armilla/rpc/question.hpp"

// What the templates of value_ptr.hpp are made of.
namespace armilla::ccpp::detail {

using armilla::detail::pointer_to_memory;
/// The same, or a reference to a processor object.
template <class P>
concept pointer = pointer_to_memory<P> || std::derived_from<P, armilla::detail::remote_base>;

template <class T>
T& own_value(const global_ptr<T>& p, const char* operation) {
  T* const value = p.is_local() ? p.local() : nullptr;
  if (value == nullptr) [[unlikely]]
    armilla::detail::throw_usage(operation,
                                 "the global pointer does not point to an object of this rank; make it there, by to_global");
  return *value;
}

template <class T>
bool lies_here(const global_ptr<T>& p, const char* operation) {
  if (!p) [[unlikely]]
    armilla::detail::throw_usage(operation, "the global pointer is null");
  return p.is_local();
}

template <class T>
std::remove_cv_t<T> read_value(const global_ptr<T>& p) {
  using V = std::remove_cv_t<T>;
  if constexpr (std::is_trivially_copyable_v<V>) {
    return (*p).get();
  } else {
    static_assert(std::is_copy_constructible_v<V>,
                  "armilla: what is read through a global pointer is copied, and the class has "
                  "no copies; give it a method that says what is wanted");
    require_sendable_value<V>();
    if (lies_here(p, "read")) return own_value(p, "read");
    return call(p.rank(), [](global_ptr<T> at) -> V { return own_value(at, "read"); }, p).get();
  }
}

template <class T>
void write_value(const global_ptr<T>& p, T&& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    (*p).set(value);
  } else {
    require_sendable_value<T>();
    if (lies_here(p, "write"))
      own_value(p, "write") = std::move(value);
    else
      call(p.rank(), [](global_ptr<T> at, T there) { own_value(at, "write") = std::move(there); }, p, std::move(value)).get();
  }
}

}  // namespace armilla::ccpp::detail
