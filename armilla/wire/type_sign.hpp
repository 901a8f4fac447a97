// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "armilla/wire/signature.hpp"

/// By what ranks find that they mean different types in one place.
namespace armilla::detail {

/// A text of any type: where the structure is not known, the type's name stands in for it.
struct structure_sink : text_sink {
  static constexpr bool any_name = true;
};
template <class T>
struct written_structure {
  static constexpr void write(auto& out) { describe<T>(out); }
};
template <class T>
struct structure_of : spelled_text<written_structure<T>, structure_sink> {
  static constexpr std::uint64_t hash = hash_of_text({structure_of::spelled.text, structure_of::size});
};

/// A type, to be compared with that of another rank. Ranks of one program compare names. Between programs names play no part, and
/// structures are compared.
struct type_sign {
  std::uint64_t by_name = 0, by_structure = 0;
  std::string_view name;
};

/// Types of the library count by their structure only: their names say of which function or parameter they are, which may differ
/// where ranks call one thing in two ways.
template <class T>
inline constexpr bool is_of_library = type_name<T>.starts_with("armilla::");

template <class T>
inline constexpr type_sign sign_of_type{is_of_library<T> ? structure_of<T>::hash : hash_of_text(type_name<T>),
                                        structure_of<T>::hash, type_name<T>};

}  // namespace armilla::detail
