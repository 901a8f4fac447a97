// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

inline constexpr std::uint64_t milli = 1'000'000;  ///< nanoseconds of a millisecond

}  // namespace armilla::detail
