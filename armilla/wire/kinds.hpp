// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/wire/reflect.hpp"

// Which of the ways to travel a type takes. Types of the standard library are told by their shape, not by their name, so
// that this header includes hardly any, and so that containers of others do as well.
namespace armilla {

template <class T>
class view;

/// Specialise as true for a trivially copyable class that carries no address although it looks as if it did (an iterator
/// into global memory), or for an aggregate of more than 24 members: it is then copied as its bytes, unchecked.
template <class T>
inline constexpr bool sendable_as_bytes = false;

namespace detail {

template <class T>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<view<T>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

struct define_type_probe {};

/// Paper: STAPL's communication infrastructure, section 5.2.
template <class T>
concept defines_type = std::is_class_v<T> && requires(T& x, define_type_probe& t) { x.define_type(t); };

template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };

// What carries an address.

template <class T>
concept borrowing = std::ranges::enable_borrowed_range<T> || std::ranges::enable_view<T>;

template <class T>
concept wraps_reference = requires(T& x) {
  typename T::type;
  { x.get() } -> std::same_as<typename T::type&>;
} && std::is_convertible_v<T&, typename T::type&>;

template <class T>
concept points = requires(T& x) {
  typename T::element_type;
  requires std::is_pointer_v<decltype(x.get())>;
} || requires(T& x) {
  typename T::element_type;
  x.lock();
};

template <class T>
concept iterates = requires(T& x) {
  typename T::iterator_category;
  *x;
  ++x;
};

// What is taken apart.

template <class T>
concept optional_like = requires(T& x) {
  typename T::value_type;
  { x.has_value() } -> std::same_as<bool>;
  *x;
  x.reset();
};

template <class T>
concept variant_like = requires(const T& x) {
  { x.valueless_by_exception() } -> std::same_as<bool>;
  { x.index() } -> std::convertible_to<std::size_t>;
};

template <class T>
concept container = requires(const T& x) {
  typename T::value_type;
  { x.size() } -> std::convertible_to<std::size_t>;
  x.begin() != x.end();
};

template <class T>
concept sequence = container<T> && requires(T& x, typename T::value_type& v) { x.push_back(std::move(v)); };

template <class T>
concept associative = container<T> && requires(T& x, typename T::value_type& v) {
  typename T::key_type;
  x.insert(x.end(), v);
};

template <class T>
concept map_like = associative<T> && requires { typename T::mapped_type; };

/// Owns one block of elements and can be made from a range of them: vector, string, and their kin.
template <class T>
concept contiguous = sequence<T> && requires(const T& x) {
  { x.data() } -> std::same_as<const typename T::value_type*>;
} && std::is_constructible_v<T, const typename T::value_type*, const typename T::value_type*>;

/// How a type travels.
enum class kind {
  none,         ///< not at all
  bytes,        ///< as its bytes
  array,        ///< T[n] or std::array, element by element
  tuple,        ///< pair, tuple: member by member
  aggregate,    ///< member by member
  optional,     ///< a flag, then the value
  variant,      ///< the index, then the value
  contiguous,   ///< a count, then the elements, as bytes if they can
  sequence,     ///< a count, then the elements
  associative,  ///< a count, then the elements
  custom,       ///< as its define_type says
  view,         ///< a count, then the elements, read in place
};

/// Why a type does not travel; `require_sendable` has a sentence for each.
enum class refusal {
  none,
  pointer,
  reference,
  borrowing,
  reference_wrapper,
  smart_pointer,
  iterator,
  view_inside,
  too_many_members,
  fixed_members,
  immovable,
  unknown,
  team,
  future,
  distributed,
  spread_array,
};

/// Of classes of the library that do not travel: why, told where they are defined.
template <class T>
inline constexpr refusal refused_class = refusal::none;

struct verdict {
  kind how = kind::none;
  refusal why = refusal::none;
  bool runs_code = false;  ///< a define_type, of it or of a part, which may do anything
};

template <class T>
inline constexpr verdict verdict_of = {};

/// For a part of a whole: where a view may not stand.
template <class T>
consteval refusal part_refusal() {
  if constexpr (std::is_reference_v<T>)
    return refusal::reference;
  else if constexpr (is_view<std::remove_cv_t<T>>)
    return refusal::view_inside;
  else
    return verdict_of<std::remove_cv_t<T>>.why;
}

/// The whole travels in this way unless one of its parts does not.
template <class... Part>
consteval verdict of_parts(kind how) {
  refusal why = refusal::none;
  ((why == refusal::none ? void(why = part_refusal<Part>()) : void()), ...);
  return {why == refusal::none ? how : kind::none, why, (verdict_of<std::remove_cv_t<Part>>.runs_code || ...)};
}

template <class T>
inline constexpr bool travels_as_bytes = verdict_of<std::remove_cv_t<T>>.how == kind::bytes;

/// An array of what travels as bytes travels as bytes.
template <class Element>
consteval verdict of_array() {
  return travels_as_bytes<Element> ? verdict{kind::bytes} : of_parts<Element>(kind::array);
}

template <class T, std::size_t... I>
consteval verdict of_tuple(std::index_sequence<I...>) {
  return of_parts<std::tuple_element_t<I, T>...>(kind::tuple);
}

template <template <class...> class Variant, class... Alternative>
consteval verdict of_variant(const Variant<Alternative...>*) {
  return of_parts<Alternative...>(kind::variant);
}

template <class T, class... M>
consteval verdict of_members(type_list<M...>) {
  if constexpr (std::is_trivially_copyable_v<T> && (travels_as_bytes<std::remove_all_extents_t<M>> && ...))
    return {kind::bytes};
  else
    return of_parts<M...>(kind::aggregate);
}

/// A class whose members are out of sight travels as bytes if the language can copy it so.
template <class T>
consteval verdict of_opaque() {
  if constexpr (!std::is_trivially_copyable_v<T>)
    return {kind::none, refusal::unknown};
  else if constexpr (!std::is_move_constructible_v<T>)
    return {kind::none, refusal::immovable};
  else
    return {kind::bytes};
}

template <class T>
consteval verdict of_aggregate() {
  if constexpr (has_base<T>)
    return of_opaque<T>();
  else if constexpr (!std::is_move_assignable_v<T>)
    return {kind::none, refusal::fixed_members};
  else if constexpr (member_count<T> > max_members)
    return {kind::none, refusal::too_many_members};
  else
    return of_members<T>(member_types<T>{});
}

template <class T>
consteval verdict of_container() {
  using element = typename T::value_type;
  if constexpr (map_like<T>)
    return of_parts<typename T::key_type, typename T::mapped_type>(kind::associative);
  else if constexpr (associative<T>)
    return of_parts<element>(kind::associative);
  else if constexpr (contiguous<T>)
    return of_parts<element>(travels_as_bytes<element> ? kind::contiguous : kind::sequence);
  else
    return of_parts<element>(kind::sequence);
}

template <class T>
consteval refusal address_in() {
  if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>)
    return refusal::pointer;
  else if constexpr (borrowing<T>)
    return refusal::borrowing;
  else if constexpr (wraps_reference<T>)
    return refusal::reference_wrapper;
  else if constexpr (points<T>)
    return refusal::smart_pointer;
  else if constexpr (iterates<T>)
    return refusal::iterator;
  else
    return refusal::none;
}

template <class T>
consteval verdict of_class() {
  if constexpr (optional_like<T>)
    return of_parts<typename T::value_type>(kind::optional);
  else if constexpr (variant_like<T>)
    return of_variant(static_cast<const T*>(nullptr));
  else if constexpr (sequence<T> || associative<T>)
    return of_container<T>();
  else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>)
    return of_aggregate<T>();
  else
    return of_opaque<T>();
}

/// T: an object type without const.
template <class T>
consteval verdict judge() {
  if constexpr (is_view<T>)
    return {kind::view};
  else if constexpr (refused_class<T> != refusal::none)
    return {kind::none, refused_class<T>};
  else if constexpr (sendable_as_bytes<T>)
    return of_opaque<T>();
  else if constexpr (defines_type<T>)
    return {kind::custom, refusal::none, true};
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return {kind::bytes};
  else if constexpr (std::is_bounded_array_v<T>)
    return of_array<std::remove_extent_t<T>>();
  else if constexpr (is_std_array<T>)
    return of_array<typename T::value_type>();
  else if constexpr (address_in<T>() != refusal::none)
    return {kind::none, address_in<T>()};
  else if constexpr (tuple_like<T>)
    return of_tuple<T>(std::make_index_sequence<std::tuple_size<T>::value>{});
  else if constexpr (std::is_class_v<T> || std::is_union_v<T>)
    return of_class<T>();
  else
    return {kind::none, refusal::unknown};
}

template <class T>
  requires std::is_object_v<T>
inline constexpr verdict verdict_of<T> = judge<std::remove_cv_t<T>>();
template <class T>
  requires std::is_reference_v<T>
inline constexpr verdict verdict_of<T> = {kind::none, refusal::reference};
template <class T>
  requires(std::is_void_v<T> || std::is_function_v<T>)
inline constexpr verdict verdict_of<T> = {kind::none, refusal::unknown};

template <class T>
inline constexpr kind kind_of = verdict_of<std::remove_cv_t<T>>.how;

}  // namespace detail
}  // namespace armilla
