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
#include "armilla/wire/standard_types.hpp"

// Which of the ways to travel a type takes. Only types of the standard library, and those that a specialization names, are
// sent as containers; classes of others that look like one may have members of their own.
namespace armilla {

template <class T>
class view;

/// Specialise as true for a trivially copyable class that carries no address although it looks as if it did (an iterator
/// into global memory), or for an aggregate of more than 24 members: it is then copied as its bytes, unchecked.
template <class T>
inline constexpr bool sendable_as_bytes = false;

/// Specialize as true for a container of your own, or of another library, that has `size`, `begin`, `end`, and `push_back` or
/// `insert`: it is then sent as its elements and made again from these. Its other members, comparators and hashes with state
/// do not travel.
///
///     template <class T>
///     inline constexpr bool armilla::sendable_as_container<small_vector<T>> = true;
template <class T>
inline constexpr bool sendable_as_container = false;

/// Specialize for a class that cannot be taken apart and that you cannot change, or that has no default constructor: the
/// specialization says from outside what a `define_type` says from inside.
///
///     template <>                                       // the class has a default constructor: list its members
///     struct armilla::sendable_as_parts<calendar::date> {
///       static void define_type(calendar::date& d, auto& t) { t.local(d.text); }
///     };
///
///     template <>                                       // it has none: what it is made of, and how
///     struct armilla::sendable_as_parts<title> {
///       static std::string parts(const title& t) { return t.text(); }
///       static title make(std::string text) { return title(std::move(text)); }
///     };
///
/// Rules: `parts` returns any sendable value; of a tuple or pair, `make` gets the members as arguments. `make` is called where
/// the value arrives, and may throw. The rules of `define_type` are in armilla/wire/define_type.hpp.
template <class T>
struct sendable_as_parts {};

namespace detail {

template <class T>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<view<T>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

__extension__ using wide_signed = __int128;
__extension__ using wide_unsigned = unsigned __int128;
template <class T>
inline constexpr bool is_wide_integer = std::is_same_v<T, wide_signed> || std::is_same_v<T, wide_unsigned>;

struct define_type_probe {};

/// Paper: STAPL's communication infrastructure, section 5.2.
template <class T>
concept defines_type = std::is_class_v<T> && requires(T& x, define_type_probe& t) { x.define_type(t); };

template <class T>
concept listed_outside = requires(T& x, define_type_probe& t) { sendable_as_parts<T>::define_type(x, t); };
template <class T>
concept made_of_parts = requires(const T& x) { sendable_as_parts<T>::parts(x); };

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
concept container = requires(const T& x) {
  typename T::value_type;
  { x.size() } -> std::convertible_to<std::size_t>;
  x.begin() != x.end();
};

/// Elements that are added behind the last one.
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

/// Whether T can be copied. A container of what can only be moved says it can.
template <class T>
inline constexpr bool is_copyable = std::is_copy_constructible_v<T>;
template <class T>
  requires requires { typename T::value_type; } && (!std::is_same_v<typename T::value_type, T>)
inline constexpr bool is_copyable<T> = std::is_copy_constructible_v<T> && is_copyable<typename T::value_type>;
template <class A, class B>
inline constexpr bool is_copyable<std::pair<A, B>> = is_copyable<A> && is_copyable<B>;

/// How a type travels.
enum class kind {
  none,         ///< not at all
  bytes,        ///< as its bytes
  array,        ///< T[n] or std::array, element by element
  tuple,        ///< pair, tuple: member by member
  aggregate,    ///< member by member
  optional,     ///< a flag, then the value
  owner,        ///< the same, of what a unique_ptr owns
  variant,      ///< the index, then the value
  contiguous,   ///< a count, then the elements, as bytes if they can
  sequence,     ///< a count, then the elements
  associative,  ///< a count, then the elements
  adaptor,      ///< as the container in it
  text,         ///< as its string
  custom,       ///< as its define_type says
  parts,        ///< as the parts that it is made of
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
  bit_fields,
  base_class,
  array_without_default,
  immovable,
  state,
  allocator,
  owner_of_base,
  owner_of_array,
  deleter,
  error_code,
  any_content,
  standard,
  like_container,
  like_tuple,
  no_default,
  unknown,
  team,
  future,
  distributed,
  spread_array,
  named_object,
};

/// Of classes of the library that do not travel: why, told where they are defined.
template <class T>
inline constexpr refusal refused_class = refusal::none;

struct verdict {
  kind how = kind::none;
  refusal why = refusal::none;
  bool runs_code = false;  ///< a define_type or make, of it or of a part, which may do anything
  bool recursive = false;  ///< it, or a part, can contain itself
};

template <class T>
inline constexpr verdict verdict_of = {};

// Classes are judged along a path of the classes around them: one that is met again is a part of itself, and travels if the
// rest of it does.

template <class T, class Path>
inline constexpr bool is_on = false;
template <class T, class... Around>
inline constexpr bool is_on<T, type_list<Around...>> = (std::is_same_v<T, Around> || ...);

template <class T, class Path>
struct longer_path;
template <class T, class... Around>
struct longer_path<T, type_list<Around...>> {
  using type = type_list<Around..., T>;
};

template <class T, class Path>
consteval verdict judge();

template <class T, class Path>
consteval verdict judge_part() {
  if constexpr (std::is_reference_v<T>)
    return {kind::none, refusal::reference};
  else if constexpr (std::is_const_v<T>)
    return judge_part<std::remove_const_t<T>, Path>();
  else if constexpr (is_view<T>)
    return {kind::none, refusal::view_inside};
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return {kind::bytes};
  else if constexpr (is_on<T, Path>)
    return {kind::aggregate, refusal::none, false, true};
  else if constexpr (std::is_same_v<Path, type_list<>> || !std::is_object_v<T>)
    return verdict_of<T>;
  else
    return judge<T, Path>();
}

/// The whole travels in this way unless one of its parts does not.
template <class Path, class... Part>
consteval verdict of_parts(kind how) {
  verdict whole{how};
  for (const verdict& part : {verdict{how}, judge_part<Part, Path>()...}) {
    if (whole.why == refusal::none && part.why != refusal::none) whole = {kind::none, part.why};
    whole.runs_code = whole.runs_code || part.runs_code;
    whole.recursive = whole.recursive || part.recursive;
  }
  return whole;
}

template <class T>
inline constexpr bool travels_as_bytes = verdict_of<std::remove_cv_t<T>>.how == kind::bytes;

/// An array of what travels as bytes travels as bytes.
template <class Element, class Path>
consteval verdict of_array() {
  return judge_part<Element, Path>().how == kind::bytes ? verdict{kind::bytes} : of_parts<Path, Element>(kind::array);
}

template <class Path, template <class...> class Tuple, class... Part>
consteval verdict of_listed(kind how, const Tuple<Part...>*) {
  return of_parts<Path, Part...>(how);
}

template <class T, class Path, class... M>
consteval verdict of_members(type_list<M...>) {
  if constexpr (std::is_trivially_copyable_v<T> && ((judge_part<std::remove_all_extents_t<M>, Path>().how == kind::bytes) && ...))
    return {kind::bytes};
  else if constexpr (!members_are_addressable<T>)
    return {kind::none, refusal::bit_fields};
  else if constexpr ((std::is_array_v<M> || ...) && !requires { T{}; })
    return {kind::none, refusal::array_without_default};
  else
    return of_parts<Path, M...>(kind::aggregate);
}

/// A container of the library, or what else has a name that travels in its place.
template <class T>
concept has_handle = requires(const T& x) {
  typename T::handle_type;
  { x.handle() } -> std::same_as<typename T::handle_type>;
};

/// A class whose members are out of sight travels as bytes if the language can copy it so.
template <class T>
consteval verdict of_opaque() {
  if constexpr (std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T>)
    return {kind::bytes};
  else if constexpr (has_handle<T>)
    return {kind::none, refusal::named_object};
  else if constexpr (std::is_trivially_copyable_v<T> || !std::is_move_constructible_v<T>)
    return {kind::none, refusal::immovable};
  else if constexpr (sequence<T> || associative<T>)
    return {kind::none, refusal::like_container};
  else if constexpr (tuple_like<T>)
    return {kind::none, refusal::like_tuple};
  else
    return {kind::none, std::is_default_constructible_v<T> ? refusal::unknown : refusal::no_default};
}

template <class T, class Path>
consteval verdict of_aggregate() {
  if constexpr (tuple_like<T>)
    return of_opaque<T>();
  else if constexpr (has_base<T>)
    return std::is_trivially_copyable_v<T> ? of_opaque<T>() : verdict{kind::none, refusal::base_class};
  else if constexpr (!std::is_move_assignable_v<T>)
    return {kind::none, std::is_move_constructible_v<T> ? refusal::fixed_members : refusal::immovable};
  else if constexpr (member_count<T> > max_members)
    return {kind::none, refusal::too_many_members};
  else
    return of_members<T, typename longer_path<T, Path>::type>(member_types<T>{});
}

/// Why a container cannot be made again as it is.
template <class T>
consteval refusal state_in() {
  bool made_again = true, allocates = true;
  if constexpr (requires { typename T::key_compare; }) made_again = made_again && made_anew<typename T::key_compare>;
  if constexpr (requires {
                  typename T::value_compare;
                  typename T::container_type;
                })  // priority_queue
    made_again = made_again && made_anew<typename T::value_compare>;
  if constexpr (requires {
                  typename T::hasher;
                  typename T::key_equal;
                })
    made_again = made_again && made_anew<typename T::hasher> && made_anew<typename T::key_equal>;
  if constexpr (requires { typename T::allocator_type; }) allocates = made_anew_allocator<typename T::allocator_type>;
  return !made_again ? refusal::state : !allocates ? refusal::allocator : refusal::none;
}

template <class T, class Path>
consteval verdict of_container() {
  using element = typename T::value_type;
  if constexpr (state_in<T>() != refusal::none)
    return {kind::none, state_in<T>()};
  else if constexpr (map_like<T>)
    return of_parts<Path, typename T::key_type, typename T::mapped_type>(kind::associative);
  else if constexpr (associative<T>)
    return of_parts<Path, element>(kind::associative);
  else if constexpr (contiguous<T>)
    return of_parts<Path, element>(judge_part<element, Path>().how == kind::bytes ? kind::contiguous : kind::sequence);
  else
    return of_parts<Path, element>(kind::sequence);
}

template <class T, class Path>
consteval verdict of_owner() {
  using owned = typename T::element_type;
  if constexpr (!requires(T& x) { *x; })
    return {kind::none, refusal::owner_of_array};
  else if constexpr (!made_anew<typename T::deleter_type> || standard_name<typename T::deleter_type>() != "default_delete")
    return {kind::none, refusal::deleter};
  else if constexpr (std::is_polymorphic_v<owned> && !std::is_final_v<owned>)
    return {kind::none, refusal::owner_of_base};
  else
    return of_parts<Path, owned>(kind::owner);
}

template <class T>
consteval refusal address_in() {
  if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>)
    return refusal::pointer;
  else if constexpr (borrowing<T> || std::is_convertible_v<const T*, const std::string_view*>)
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

template <class T, class Path>
consteval verdict of_standard() {
  constexpr standard_type what = standard_type_of<T>;
  if constexpr (what == standard_type::container)
    return of_container<T, Path>();
  else if constexpr (what == standard_type::array)
    return of_parts<Path, typename T::value_type>(kind::sequence);
  else if constexpr (what == standard_type::adaptor)
    return state_in<T>() != refusal::none ? verdict{kind::none, state_in<T>()}
                                          : of_parts<Path, typename T::container_type>(kind::adaptor);
  else if constexpr (what == standard_type::text)
    return {kind::text};
  else if constexpr (what == standard_type::optional)
    return of_parts<Path, typename T::value_type>(kind::optional);
  else if constexpr (what == standard_type::variant)
    return of_listed<Path>(kind::variant, static_cast<const T*>(nullptr));
  else if constexpr (what == standard_type::tuple)
    return of_listed<Path>(kind::tuple, static_cast<const T*>(nullptr));
  else if constexpr (what == standard_type::owner)
    return of_owner<T, Path>();
  else if constexpr (what == standard_type::value)
    return of_opaque<T>();
  else if constexpr (what == standard_type::error_code)
    return {kind::none, refusal::error_code};
  else if constexpr (what == standard_type::any_content)
    return {kind::none, refusal::any_content};
  else if constexpr (address_in<T>() != refusal::none)
    return {kind::none, address_in<T>()};
  else if constexpr (std::is_aggregate_v<T>)
    return of_aggregate<T, Path>();
  else
    return {kind::none, std::is_move_constructible_v<T> ? refusal::standard : refusal::immovable};
}

template <class T, class Path>
consteval verdict of_class() {
  if constexpr (standard_type_of<T> != standard_type::no)
    return of_standard<T, Path>();
  else if constexpr (sendable_as_container<T>) {
    verdict v = of_container<T, Path>();
    v.runs_code = true;
    return v;
  } else if constexpr (address_in<T>() != refusal::none)
    return {kind::none, address_in<T>()};
  else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>)
    return of_aggregate<T, Path>();
  else
    return of_opaque<T>();
}

/// What `sendable_as_parts` makes of a T.
template <class T>
using parts_of = std::remove_cvref_t<decltype(sendable_as_parts<T>::parts(std::declval<const T&>()))>;

template <class T, class Path>
consteval verdict of_outside_parts() {
  verdict v = of_parts<typename longer_path<T, Path>::type, parts_of<T>>(kind::parts);
  v.runs_code = true;
  return v;
}

/// T: an object type without const.
template <class T, class Path = type_list<>>
consteval verdict judge() {
  if constexpr (is_view<T>)
    return {kind::view};
  else if constexpr (refused_class<T> != refusal::none)
    return {kind::none, refused_class<T>};
  else if constexpr (sendable_as_bytes<T>)
    return of_opaque<T>();
  else if constexpr (made_of_parts<T>)
    return of_outside_parts<T, Path>();
  else if constexpr (listed_outside<T> || defines_type<T>)
    return {kind::custom, refusal::none, true};
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || is_wide_integer<T>)
    return {kind::bytes};
  else if constexpr (std::is_bounded_array_v<T>)
    return of_array<std::remove_extent_t<T>, Path>();
  else if constexpr (is_std_array<T>)
    return of_array<typename T::value_type, Path>();
  else if constexpr (std::is_class_v<T> || std::is_union_v<T>)
    return of_class<T, Path>();
  else if constexpr (address_in<T>() != refusal::none)
    return {kind::none, address_in<T>()};
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
