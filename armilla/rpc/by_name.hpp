// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/am/endpoint/sending.hpp"

namespace armilla::detail {

/// A callable that ranks of other programs know: a method under a name. On the wire it is the method's index at the rank
/// that has it, in 8 bytes, where others have their closure; its messages go to handlers that every program has.
template <class F>
concept by_name = requires { typename F::is_called_by_name; };

template <class F>
inline constexpr audience audience_of = by_name<F> ? audience::job : audience::program;

/// Whether the message at `next` is for the same method as the one at `before`; both begin with the index.
inline bool same_method(const std::byte* before, const std::byte* next, const std::byte* end) noexcept {
  return std::size_t(end - next) >= sizeof(std::uint64_t) && std::memcmp(before, next, sizeof(std::uint64_t)) == 0;
}

}  // namespace armilla::detail
