// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "armilla/base/values/types.hpp"
#include "armilla/sendable.hpp"

// Where the values of one message lie. Offsets count from the start of the arguments, which is 8-aligned in memory:
//
//   bytes        at the next multiple of its alignment (at most 8); an empty class takes nothing
//   members      one after the other by these same rules
//   a count      8 bytes, 8-aligned; then the elements; an element that would take nothing takes one byte
//   a view       a count, then its elements at the next multiple of their alignment, 8 at least and 16 at most
//                or, with the count's top bit set, the 8-byte offset of elements that stay in the sender's memory
//   an optional  one byte, 0 or 1; then the value if it is 1; the same for what a unique_ptr owns
//   a variant    two bytes, the index; then the value
//
// Where all values have one size for ever, so has the message, and every offset is a constant.
namespace armilla::detail {

inline constexpr std::size_t arguments_align = 8;

using count_t = std::uint64_t;
using variant_index_t = std::uint16_t;

/// What a value that travels as bytes takes, and at which multiples.
template <class T>
inline constexpr std::size_t bytes_size = std::is_empty_v<T> ? 0 : sizeof(T);
template <class T>
inline constexpr std::size_t bytes_align = std::is_empty_v<T>             ? 1
                                           : alignof(T) < arguments_align ? alignof(T)
                                                                          : arguments_align;
template <class T>
inline constexpr std::size_t view_align = alignof(T) <= 8 ? 8 : 16;

template <class T>
struct layout;

template <class... Part>
struct layout_of_parts {
  static constexpr bool fixed = (layout<Part>::fixed && ...);
  static constexpr std::size_t least = (layout<Part>::least + ... + 0);
  /// Where the next value may start if this starts at or after `offset`; for fixed parts only.
  static constexpr std::size_t advance(std::size_t offset) {
    ((offset = layout<Part>::advance(offset)), ...);
    return offset;
  }
};

/// What is known of T before any value is: `fixed`, its size is always the same; `least`, the fewest bytes it takes.
template <class T>
consteval auto choose_layout();

struct layout_of_unknown {
  static constexpr bool fixed = false;
};
template <std::size_t Least>
struct layout_of_at_least : layout_of_unknown {
  static constexpr std::size_t least = Least;
  static constexpr std::size_t advance(std::size_t offset) { return offset; }
};

template <class T>
struct layout_of_bytes {
  static constexpr bool fixed = true;
  static constexpr std::size_t least = bytes_size<T>;
  static constexpr std::size_t advance(std::size_t offset) { return align_up(offset, bytes_align<T>) + bytes_size<T>; }
};

/// The container in a queue, stack or priority_queue, which is a protected member of it.
template <class Adaptor>
struct inside_adaptor : Adaptor {
  static auto& of(Adaptor& whole) { return whole.*(&inside_adaptor::c); }
  static const auto& of(const Adaptor& whole) { return whole.*(&inside_adaptor::c); }
};

/// Elements of an array, one by one.
template <class Element, std::size_t N>
struct layout_of_array {
  static constexpr bool fixed = layout<Element>::fixed;
  static constexpr std::size_t least = N * layout<Element>::least;
  static constexpr std::size_t advance(std::size_t offset) {
    for (std::size_t i = 0; i < N; ++i) offset = layout<Element>::advance(offset);
    return offset;
  }
};

template <class T>
inline constexpr std::size_t extent_of = std::extent_v<T>;
template <class T, std::size_t N>
inline constexpr std::size_t extent_of<std::array<T, N>> = N;

template <class T>
struct element_of {
  using type = std::remove_extent_t<T>;
};
template <class T, std::size_t N>
struct element_of<std::array<T, N>> {
  using type = T;
};

template <class T, std::size_t... I>
layout_of_parts<std::remove_cv_t<std::tuple_element_t<I, T>>...> tuple_layout(std::index_sequence<I...>);
template <class... M>
layout_of_parts<M...> members_layout(type_list<M...>);

template <class T>
consteval auto choose_layout() {
  constexpr kind how = kind_of<T>;
  if constexpr (how == kind::bytes)
    return layout_of_bytes<T>{};
  else if constexpr (how == kind::array)
    return layout_of_array<typename element_of<T>::type, extent_of<T>>{};
  else if constexpr (how == kind::tuple)
    return decltype(tuple_layout<T>(std::make_index_sequence<std::tuple_size<T>::value>{})){};
  else if constexpr (how == kind::aggregate)
    return decltype(members_layout(member_types<T>{})){};
  else if constexpr (how == kind::optional || how == kind::owner)
    return layout_of_at_least<1>{};
  else if constexpr (how == kind::variant)
    return layout_of_at_least<sizeof(variant_index_t)>{};
  else if constexpr (how == kind::custom || how == kind::parts)
    return layout_of_at_least<0>{};
  else
    return layout_of_at_least<sizeof(count_t)>{};
}

template <class T>
struct layout : decltype(choose_layout<T>()) {};

/// Whether a list of arguments always takes the same bytes; then `packed_size` says how many, a multiple of 8.
template <class... T>
inline constexpr bool fixed_size = layout_of_parts<std::remove_cvref_t<T>...>::fixed;
template <class... T>
  requires fixed_size<T...>
inline constexpr std::size_t packed_size = align_up(layout_of_parts<std::remove_cvref_t<T>...>::advance(0), arguments_align);
template <class... T>
inline constexpr std::size_t fixed_size_of = packed_size<T...>;

}  // namespace armilla::detail
