// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/team/core/known_types.hpp"

/// What a member of a team is about to do, and the sign of it that travels with all that it shows.
///
/// The words that members wait for hold a step in their lower 48 bits and the sign of a collective in the upper 16. A reader
/// knows the word that it waits for: one comparison tells that the other has come, and that it does the same.
namespace armilla::detail {

/// The collectives, for checks and messages.
enum class collective : std::uint8_t {
  none,
  barrier,
  fence,
  split,
  broadcast,
  scatter,
  reduce,
  all_reduce,
  inclusive_scan,
  exclusive_scan,
  gather,
  all_gather,
  all_to_all,
  all_to_all_v,
  all_gather_v,
  reduce_scatter,
  end,  ///< the fences with which a rank's function and session end; `root` is the stage
  survivors,
  grow,
  left,     ///< not a collective: this member entered one, and an exception took it out of the middle
  elements  ///< not a collective: of what type a container or what an algorithm goes through is
};
const char* name_of(collective kind) noexcept;

/// `bytes`: of an element or part; 0 where members may differ.
struct intention {
  collective kind = collective::none;
  rank_t root = 0;
  std::uint64_t bytes = 0;
  type_mark type = {};

  /// All of it in one word.
  constexpr std::uint64_t word() const noexcept {
    return std::uint64_t(kind) << 59 | type.word | std::uint64_t(root) << bytes_bits | (bytes < most_bytes ? bytes : most_bytes);
  }
  static constexpr intention from(std::uint64_t w) noexcept {
    return {collective(w >> 59), rank_t(w >> bytes_bits & 0xffff), w & most_bytes, {w & type_mark::bits, 0}};
  }
  static constexpr unsigned bytes_bits = type_mark::shift - 16;
  static constexpr std::uint64_t most_bytes = (std::uint64_t(1) << bytes_bits) - 1;  ///< so many or more
};

inline constexpr unsigned sign_shift = 48;
inline constexpr std::uint64_t step_mask = (std::uint64_t(1) << sign_shift) - 1;

constexpr std::uint64_t step_of(std::uint64_t word) noexcept { return word & step_mask; }
constexpr collective kind_of_sign(std::uint64_t word) noexcept { return collective(word >> 59); }

/// What stands for `i` in a team's past, in its lower 11 bits. `type_shift`: 16 where names of types count, 0 where members run
/// different programs.
constexpr std::uint64_t mark_in_past(const intention& i, unsigned type_shift) noexcept {
  return (i.bytes * 0x9e3779b97f4a7c15u >> 53) + (i.type.signs >> type_shift) + std::uint64_t(i.root) * 811 +
         std::uint64_t(i.kind) * 97;
}

/// What the next mark is added to, after a collective at which the past stood at `past`. Two pasts that differ in one
/// collective's root or number type only, or in anything else with a probability of 2047 in 2048, never look alike again.
constexpr std::uint64_t past_behind(std::uint64_t past) noexcept { return past * 37 + 355; }

/// The sign of a collective in its place above a step: 5 bits of its kind, 11 of the past up to it.
constexpr std::uint64_t sign_of(collective kind, std::uint64_t past) noexcept {
  return std::uint64_t(kind) << 59 | (past & 0x7ff) << sign_shift;
}

}  // namespace armilla::detail
