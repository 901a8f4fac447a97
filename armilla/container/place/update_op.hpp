// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

namespace armilla::detail {

/// What may be given as `op` to `update`.
template <class Op, class V>
constexpr void check_update() {
  static_assert(
      std::is_empty_v<Op> && std::is_trivially_copyable_v<Op> && std::is_default_constructible_v<Op>,
      "armilla: the operation of an update is a type that both ranks know, without captures: std::plus<>{}, or a lambda "
      "that captures nothing; what it needs beside the two values goes into the value");
  static_assert(std::is_invocable_r_v<V, Op, V, V>,
                "armilla: the operation of an update takes two values and gives one: op(V, V) -> V");
}

}  // namespace armilla::detail
