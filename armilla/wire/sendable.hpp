// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/wire/kinds.hpp"

/// What can be an argument or a result of a call.
///
/// | travels                 | as                                                                          |
/// |-------------------------|-----------------------------------------------------------------------------|
/// | numbers, enums, bool    | their bytes                                                                   |
/// | T[n], std::array        | their elements                                                                |
/// | pair, tuple, aggregates | their members, up to 24, found without a word from you                        |
/// | optional, variant       | what they hold                                                                |
/// | containers              | a count and the elements: all that have push_back or insert, and size          |
/// | `armilla::view<T>`      | elements that the receiver reads in place: an argument only                   |
/// | a class with define_type| as that says (`armilla/wire/define_type.hpp`)                                 |
/// | other classes           | their bytes, if they are trivially copyable                                   |
///
/// What carries an address of this rank is refused at compile time, also inside aggregates and containers: pointers,
/// references, span, string_view, reference_wrapper, smart pointers, iterators. Inside a class with private members
/// no check can look; there the promise is yours. Arguments travel by value on every fabric.
namespace armilla {

/// T can be an argument of a call.
template <class T>
concept sendable = detail::verdict_of<T>.how != detail::kind::none;

/// T can be a result of a call, an element of a container, a value of a collective: sendable, but no view.
template <class T>
concept sendable_value = sendable<T> && !detail::is_view<std::remove_cv_t<T>>;

/// T travels by one copy of its bytes.
template <class T>
inline constexpr bool trivially_sendable = detail::travels_as_bytes<T>;

/// F can be sent as the body of a call: a closure or function object whose captures are trivially copyable. Captures are
/// out of the compiler's sight; a checked build looks whether they hold addresses. Without captures it takes no byte.
template <class F>
concept sendable_closure = std::is_class_v<F> && std::is_trivially_copyable_v<F> && std::is_move_constructible_v<F>;

/// Compiles only if T is sendable, else says what to do.
template <class T>
constexpr void require_sendable() {
  using detail::refusal;
  constexpr refusal why = detail::verdict_of<T>.why;
  static_assert(
      why != refusal::pointer,
      "armilla: a pointer cannot be sent: its address means nothing on another rank; send the value, an armilla::view of "
      "it or an armilla::global_ptr");
  static_assert(why != refusal::reference, "armilla: a reference cannot be sent: arguments travel by value; take the value");
  static_assert(
      why != refusal::borrowing,
      "armilla: a span or string_view cannot be sent: it points into this rank's memory; send an armilla::view, a vector or "
      "a string");
  static_assert(why != refusal::reference_wrapper,
                "armilla: a reference_wrapper cannot be sent: it is an address; send the value");
  static_assert(
      why != refusal::smart_pointer,
      "armilla: a smart pointer cannot be sent: what it owns stays on this rank; send the value, or a global_ptr to it");
  static_assert(why != refusal::iterator, "armilla: an iterator cannot be sent: it is an address; send an index or a global_ptr");
  static_assert(why != refusal::view_inside,
                "armilla: a view can be an argument, but neither a member nor an element of one; use a vector there");
  static_assert(
      why != refusal::too_many_members,
      "armilla: an aggregate of more than 24 members cannot be sent; group them, give it a define_type member, or specialise "
      "armilla::sendable_as_bytes");
  static_assert(why != refusal::fixed_members,
                "armilla: an aggregate with const or reference members cannot be sent; make them plain values or give it a "
                "define_type member");
  static_assert(why != refusal::team,
                "armilla: a team cannot be sent: each member has a value of its own, from split or dup; keep it in a "
                "per_rank<team>, and let the body use that of its rank");
  static_assert(why != refusal::future, "armilla: a future cannot be sent: its reply comes to this rank; send what get() gives");
  static_assert(why != refusal::distributed,
                "armilla: a distributed object cannot be sent: every rank has its part; send h.on(r), the name of a part");
  static_assert(why != refusal::spread_array,
                "armilla: a spread_array cannot be sent: every rank has its elements; send x.ptr(i), a global_ptr");
  static_assert(why != refusal::immovable, "armilla: a type that cannot be moved cannot be sent; send a copy of its value");
  static_assert(
      why != refusal::unknown,
      "armilla: this type can be neither copied as bytes nor taken apart; give it a member void define_type(auto& t) that "
      "lists its members");
}

/// The same for a result of a call and a value of a collective.
template <class T>
constexpr void require_sendable_value() {
  require_sendable<T>();
  static_assert(!detail::is_view<std::remove_cv_t<T>>,
                "armilla: a view can be an argument, but no result: it would point into memory of another rank; return a vector");
}

/// The same for the body of a call.
template <class F>
constexpr void require_sendable_closure() {
  static_assert(
      std::is_pointer_v<F> || sendable_closure<F>,
      "armilla: a closure may capture only trivially copyable values; pass strings, vectors and the like as arguments of "
      "the call");
}

}  // namespace armilla
