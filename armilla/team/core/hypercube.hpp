// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace armilla::detail {

/// Any number of places at the corners of a hypercube, in their order. Where their number is no power of two, the first of them
/// share corners in pairs: the even one of a pair takes part for both.
struct hypercube {
  explicit constexpr hypercube(std::uint32_t places) : corners(std::bit_floor(places)), shared(places - corners) {}

  /// Whether another place is at the same corner.
  constexpr bool is_shared(std::uint32_t place) const { return place < 2 * shared; }
  /// Whether that other one takes part in its stead.
  constexpr bool is_represented(std::uint32_t place) const { return is_shared(place) && place % 2 == 1; }
  constexpr std::uint32_t corner_of(std::uint32_t place) const { return is_shared(place) ? place / 2 : place - shared; }
  /// The place that takes part for a corner.
  constexpr std::uint32_t place_at(std::uint32_t corner) const { return corner < shared ? 2 * corner : corner + shared; }

  std::uint32_t corners;
  std::uint32_t shared;  ///< corners with two places
};

}  // namespace armilla::detail
