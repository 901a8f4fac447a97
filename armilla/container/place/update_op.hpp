// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

namespace armilla::detail {

/// Whether `op` may be given to `update`. If not, says why at compile time; the caller then instantiates nothing that uses it,
/// whose errors would bury the reason.
template <class Op, class V>
constexpr bool check_update() {
  constexpr bool known = std::is_empty_v<Op> && std::is_trivially_copyable_v<Op> && std::is_default_constructible_v<Op>;
  constexpr bool combines = std::is_invocable_r_v<V, Op, V, V>;
  static_assert(
      known,
      "armilla: the operation of an update is a type that both ranks know, without captures: std::plus<>{}, or a lambda "
      "that captures nothing; what it needs beside the two values goes into the value");
  static_assert(combines, "armilla: the operation of an update takes two values and gives one: op(V, V) -> V");
  return known && combines;
}

}  // namespace armilla::detail
