// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/armilla.hpp>

/// What the server provides to workers that join.
namespace joining {

inline constexpr armilla::method<int()> next_task{"joining.next_task"};
inline constexpr armilla::method<void(int)> say_done{"joining.say_done"};

}  // namespace joining
