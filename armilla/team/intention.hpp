// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "armilla/base/types.hpp"
#include "armilla/wire/kinds.hpp"
#include "armilla/wire/sendable.hpp"

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
  grow
};
const char* name_of(collective kind) noexcept;

/// What is known of a type: numbers by kind and size, the rest by the way they travel.
using type_mark = std::uint8_t;
inline constexpr type_mark mark_array = 0x40, mark_list = 0x80;
enum class number_class : std::uint8_t { none, boolean, character, signed_integer, unsigned_integer, floating };

template <class T>
consteval number_class class_of_number() {
  if constexpr (std::is_same_v<T, bool>)
    return number_class::boolean;
  else if constexpr (std::is_same_v<T, char>)
    return number_class::character;
  else if constexpr (std::is_floating_point_v<T>)
    return number_class::floating;
  else
    return std::is_signed_v<T> ? number_class::signed_integer : number_class::unsigned_integer;
}

template <class T>
consteval type_mark mark_of() {
  if constexpr (std::is_void_v<T>)
    return 0;
  else if constexpr (std::is_enum_v<T>)
    return mark_of<std::underlying_type_t<T>>();
  else if constexpr (std::is_arithmetic_v<T>)
    return type_mark(unsigned(class_of_number<T>()) << 3 | unsigned(std::bit_width(sizeof(T)) - 1));
  else if constexpr (std::is_bounded_array_v<T>)
    return mark_of<std::remove_extent_t<T>>() | mark_array;
  else if constexpr (is_std_array<T>)
    return mark_of<typename T::value_type>() | mark_array;
  else if constexpr (kind_of<T> == kind::contiguous || kind_of<T> == kind::sequence)
    return mark_of<std::remove_cv_t<typename T::value_type>>() | mark_list;
  else if constexpr (unsigned(kind_of<T>) < 8)
    return type_mark(kind_of<T>);
  else
    return type_mark(0x38 | (unsigned(kind_of<T>) & 7));
}

/// `bytes`: of an element or part; 0 where members may differ.
struct intention {
  collective kind = collective::none;
  rank_t root = 0;
  std::uint64_t bytes = 0;
  type_mark type = 0;

  /// All of it in one word.
  constexpr std::uint64_t word() const noexcept {
    return std::uint64_t(kind) << 59 | std::uint64_t(type) << 51 | std::uint64_t(root) << bytes_bits | (bytes & bytes_mask);
  }
  static constexpr intention from(std::uint64_t w) noexcept {
    return {collective(w >> 59), rank_t(w >> bytes_bits & 0xffff), w & bytes_mask, type_mark(w >> 51)};
  }
  static constexpr unsigned bytes_bits = 35;
  static constexpr std::uint64_t bytes_mask = (std::uint64_t(1) << bytes_bits) - 1;
};

inline constexpr unsigned sign_shift = 48;
inline constexpr std::uint64_t step_mask = (std::uint64_t(1) << sign_shift) - 1;

constexpr std::uint64_t step_of(std::uint64_t word) noexcept { return word & step_mask; }
constexpr collective kind_of_sign(std::uint64_t word) noexcept { return collective(word >> 59); }

/// What stands for `i` in a team's past. What is known of it when the program is compiled costs nothing.
constexpr std::uint64_t mark_in_past(const intention& i) noexcept {
  return (i.bytes * 0x9e3779b97f4a7c15u >> 53) + std::uint64_t(i.type) * 5 + std::uint64_t(i.root) * 811 +
         std::uint64_t(i.kind) * 97;
}

/// What the next mark is added to, after a collective at which the past stood at `past`. Two pasts that differ in one
/// collective's root or type only, or in anything else with a probability of 2047 in 2048, never look alike again.
constexpr std::uint64_t past_behind(std::uint64_t past) noexcept { return past * 37 + 355; }

/// The sign of a collective in its place above a step: 5 bits of its kind, 11 of the past up to it.
constexpr std::uint64_t sign_of(collective kind, std::uint64_t past) noexcept {
  return std::uint64_t(kind) << 59 | (past & 0x7ff) << sign_shift;
}

}  // namespace armilla::detail
