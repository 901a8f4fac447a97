// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armilla/base/core/check.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/wire/address_scan.hpp"

/// What may be called on another rank, in a form that means the same there: a closure travels as its bytes, a function
/// pointer as (image, offset), a function named at compile time as nothing at all.
namespace armilla::detail {

/// A function of this program as other ranks of the same program know it.
struct function_place {
  std::uint64_t image;   ///< position in the program's list of loaded images, the executable first
  std::uint64_t offset;  ///< from the image's first byte
};

/// Throws usage_error when `function` is null or lies in no image.
function_place place_of_function(const void* function, const char* operation);
/// Checked: throws decode_error when the place is not inside the code of an image.
const void* function_at(function_place place, rank_t sender);

template <class Signature>
struct portable_function;

template <class R, class... P>
struct portable_function<R(P...)> {
  function_place place;
  R operator()(P... arguments) const {
    return reinterpret_cast<R (*)(P...)>(const_cast<void*>(function_at(place, -1)))(std::forward<P>(arguments)...);
  }
};

/// `F`, known at compile time.
template <auto F>
struct constant_function {
  template <class... A>
    requires std::is_invocable_v<decltype(F), A...>
  decltype(auto) operator()(A&&... arguments) const {
    return F(std::forward<A>(arguments)...);
  }
};

template <class F>
struct callable {
  static_assert(std::is_trivially_copyable_v<F>,
                "armilla: this closure captures something that is not trivially copyable (a string, a vector, a smart pointer): "
                "pass it as an argument of the call instead, async(rank, [](std::string s) {...}, s); a distributed container as "
                "x.handle()");
  using type = F;
  /// Checked build: a closure that captured an address (by reference, or a pointer) is an error here, not a crash there.
  static const F& portable(const F& f, [[maybe_unused]] const char* operation) {
    if constexpr (checked && !std::is_empty_v<F>) refuse_addresses(operation, f);
    return f;
  }
};

template <class R, class... P>
struct callable<R (*)(P...)> {
  using type = portable_function<R(P...)>;
  static type portable(R (*f)(P...), const char* operation) {
    return {place_of_function(reinterpret_cast<const void*>(f), operation)};
  }
};
template <class R, class... P>
struct callable<R (*)(P...) noexcept> : callable<R (*)(P...)> {};

template <class F>
using callable_of = callable<std::decay_t<F>>;

}  // namespace armilla::detail
