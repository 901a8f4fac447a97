// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "armilla/wire/type_sign.hpp"

/// The types that the program's collectives and algorithms have, so that an error can name the one that another rank means.
namespace armilla::detail {

/// A type in the list of its program. Its members know it by a number of 16 bits.
struct known_type {
  std::string_view name;
  std::uint16_t id;
  std::atomic<bool> listed{false};
  known_type* next = nullptr;
};

/// Appends to the list, once. While the images of the program are loaded.
bool list_type(known_type& type) noexcept;

template <class T>
inline constinit known_type entry_of_type{type_name<T>, std::uint16_t(sign_of_type<T>.by_name >> 48)};
template <class T>
inline const bool type_is_listed = list_type(entry_of_type<T>);

/// What is entered with a type: values of it, or arrays and lists of such values.
enum class type_form : std::uint8_t { value, array, list };

/// A type as collectives know it. Its name and its structure are in the words that members compare anyway.
struct type_mark {
  std::uint64_t word = 0;   ///< `known_type::id`, of this form, where `intention::word` has it
  std::uint32_t signs = 0;  ///< 11 bits of its structure; above 16 bits the same with its name, of which numbers need none

  static constexpr unsigned shift = 43;
  static constexpr std::uint64_t bits = std::uint64_t{0xffff} << shift;

  constexpr std::uint16_t id() const noexcept { return std::uint16_t(word >> shift); }
  constexpr type_mark in(type_form form) const noexcept {
    return {(word + (std::uint64_t{of_form(form)} << shift)) & bits, signs + std::uint32_t(form) * (320U | 320U << 16)};
  }
  static constexpr std::uint16_t of_form(type_form form) noexcept { return std::uint16_t(unsigned(form) * 0x1357); }
};

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
consteval type_mark make_type_mark() {
  constexpr type_sign sign = sign_of_type<T>;
  constexpr std::uint64_t word = (sign.by_name >> 48) << type_mark::shift;
  if constexpr (std::is_arithmetic_v<T>) {
    constexpr std::uint32_t number = (unsigned(class_of_number<T>()) << 3 | unsigned(std::bit_width(sizeof(T)) - 1)) * 5;
    return {word, number | number << 16};
  } else {
    constexpr auto structure = std::uint32_t(sign.by_structure & 0x7ff), name = std::uint32_t(sign.by_name & 0x7ff);
    return {word, structure | ((structure + name) & 0x7ff) << 16};
  }
}

/// Of T. Names it in the program's list; costs nothing where it runs.
template <class T>
constexpr type_mark mark_of() noexcept {
  static_cast<void>(&type_is_listed<T>);
  return make_type_mark<T>();
}

/// A type's name as people write it.
std::string readable_type(std::string_view name);
/// "double", "double array"; empty where no type of this program is known by `id`.
std::string type_known_as(std::uint16_t id);

}  // namespace armilla::detail
