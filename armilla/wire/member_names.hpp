// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/wire/reflect.hpp"

// The names of an aggregate's members: the compiler prints them where the address of a member is a template argument.
namespace armilla::detail {

/// Room for a T that is never made: its members only have addresses.
template <class T>
union unmade {
  char none;
  T value;
  constexpr unmade() : none(0) {}
  constexpr ~unmade() {}  // NOLINT(modernize-use-equals-default): T may have a destructor
};
template <class T>
struct unmade_object {
  static inline constinit unmade<T> object{};
};

/// clang++ takes the address of a member as a template argument only inside a class.
template <class P>
struct member_address {
  P at;
};

template <std::size_t I, class First, class... Rest>
constexpr auto pick_address(First& first, Rest&... rest) {
  if constexpr (I == 0)
    return member_address<First*>{&first};
  else
    return pick_address<I - 1>(rest...);
}
template <class T, std::size_t I>
constexpr auto address_of_member() {
  return visit_members(unmade_object<T>::object.value, [](auto&... m) { return pick_address<I>(m...); });
}

// g++ ends with "...row::name)}; std::string_view = ...]", clang++ with "...object.value.name}]".
template <auto Address>
consteval std::string_view printed_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t behind = text.find(")};");
  text = text.substr(0, behind != text.npos ? behind : text.rfind('}'));
  return text.substr(text.find_last_of(":.") + 1);
}

template <reflectable T, std::size_t... I>
consteval auto names_of_members(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{printed_name<address_of_member<T, I>()>()...};
}

/// In the order of declaration.
template <reflectable T>
inline constexpr auto member_names = names_of_members<T>(std::make_index_sequence<member_count<T>>{});

}  // namespace armilla::detail
