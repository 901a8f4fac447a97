// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

/// Functions that users pass, and that this rank calls.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_function(const char* operation);

/// What may hold no function: a pointer to a function or a member, and wrappers such as std::function.
template <class F>
concept maybe_no_function = std::is_pointer_v<F> || std::is_member_pointer_v<F> || requires(F& f) {
  { f.operator bool() } -> std::same_as<bool>;
  f = nullptr;
};

/// Refuses null pointers and empty wrappers where they are passed. Other callables cost nothing.
template <class F>
void require_function(const F& f, const char* operation) {
  if constexpr (maybe_no_function<F>) {
    if (!static_cast<bool>(f)) [[unlikely]]
      throw_no_function(operation);
  }
}

}  // namespace armilla::detail
