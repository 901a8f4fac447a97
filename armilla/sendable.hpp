// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/wire/kinds.hpp"

/// What can be sent: the types of arguments and results of calls, of elements of containers, and of values of collectives.
///
/// | type                                    | is sent as                                                                |
/// |-----------------------------------------|---------------------------------------------------------------------------|
/// | numbers, enums, bool                    | their bytes                                                               |
/// | T[n], std::array                        | their elements                                                            |
/// | pair, tuple, aggregates                 | their members, up to 24, found without your help                          |
/// | optional, unique_ptr                    | what they hold                                                            |
/// | variant, filesystem::path               | the alternative that it holds; its string                                 |
/// | the standard's containers, valarray, queue, stack, priority_queue | a count and the elements                        |
/// | complex, bitset, chrono, random engines | their bytes                                                               |
/// | `armilla::view<T>`                      | elements that the receiver reads in place: an argument only               |
/// | a class with define_type                | the members that it lists (`armilla/wire/define_type.hpp`)                |
/// | a class that cannot be changed, or that has no default constructor | as `armilla::sendable_as_parts` says           |
/// | containers of other libraries           | their elements, if `armilla::sendable_as_container` is true for them      |
/// | other classes                           | their bytes, if they are trivially copyable                               |
///
/// **Addresses are refused.** A type that holds an address of this rank does not compile, also inside of aggregates and
/// containers: pointers, references, span, string_view, reference_wrapper, shared_ptr, iterators, error codes, functions, and
/// whatever else of the standard library is not in the table. The compiler cannot see the private members of a trivially copyable
/// class: make sure that they hold no address.
///
/// **By value.** Arguments are copied on every fabric. Comparators, hashes and allocators of containers are made again by their
/// default constructors, so one with state is refused; a pmr container arrives with the default memory resource. Types that
/// contain themselves, such as trees, may be up to 100 deep.
namespace armilla {

/// A type that can be an argument of a call.
template <class T>
concept sendable = detail::verdict_of<T>.how != detail::kind::none;

/// A type that can be a result of a call, an element of a container or a value of a collective: sendable, but not a view.
template <class T>
concept sendable_value = sendable<T> && !detail::is_view<std::remove_cv_t<T>>;

/// Whether a `T` is sent by one copy of its bytes.
template <class T>
inline constexpr bool trivially_sendable = detail::travels_as_bytes<T>;

/// A closure or function object that can be sent as the function of a call: its captures are trivially copyable.
///
/// The compiler cannot see captures; a program with the checked library tests whether they hold addresses. Without captures it
/// takes no bytes.
template <class F>
concept sendable_closure = std::is_class_v<F> && std::is_trivially_copyable_v<F> && std::is_move_constructible_v<F>;

namespace detail {

/// The first member of a type that cannot be sent, down to one that has no members.
template <class T, class Whole, std::size_t Number>
struct culprit {
  using type = T;
  using whole = Whole;
  static constexpr std::size_t number = Number;
};

template <class... Part>
consteval std::size_t first_refused() {
  constexpr bool refused[] = {(judge_part<std::remove_all_extents_t<Part>, type_list<>>().why != refusal::none)..., true};
  std::size_t i = 0;
  while (!refused[i]) ++i;
  return i;
}

template <class T, class Whole, std::size_t Number>
auto find_culprit();

template <class Whole, std::size_t Number, class First, class... Rest>
auto culprit_at(type_list<First, Rest...>) {
  if constexpr (Number == 0)
    return std::type_identity<First>{};
  else
    return culprit_at<Whole, Number - 1>(type_list<Rest...>{});
}

template <class Whole, class... Part>
auto culprit_among(type_list<Part...> parts) {
  constexpr std::size_t at = first_refused<Part...>();
  if constexpr (at == sizeof...(Part))
    return culprit<Whole, Whole, 0>{};
  else
    return find_culprit<typename decltype(culprit_at<Whole, at>(parts))::type, Whole, at + 1>();
}

template <template <class...> class C, class... P>
type_list<P...> arguments_in(const C<P...>*);

template <class T, class Whole, std::size_t Number>
auto find_culprit() {
  constexpr standard_type what = standard_type_of<T>;
  constexpr refusal why = judge_part<T, type_list<>>().why;
  if constexpr (std::is_reference_v<T> || std::is_pointer_v<T> || std::is_union_v<T> || !std::is_class_v<T>)
    return culprit<T, Whole, Number>{};
  else if constexpr (what == standard_type::container || what == standard_type::tuple || what == standard_type::optional ||
                     what == standard_type::variant) {
    if constexpr (why == refusal::state || why == refusal::allocator)
      return culprit<T, Whole, Number>{};
    else
      return culprit_among<T>(decltype(arguments_in(static_cast<const T*>(nullptr))){});
  } else if constexpr (what == standard_type::no && reflectable<T> && !tuple_like<T> && refused_class<T> == refusal::none &&
                       !is_view<T> && why != refusal::bit_fields && why != refusal::array_without_default)
    return culprit_among<T>(member_types<T>{});
  else
    return culprit<T, Whole, Number>{};
}

/// Says why `Part`, the member or element `Number` of `Whole`, cannot be sent.
template <refusal Why, class Part, std::size_t Number, class Whole>
constexpr void cannot_be_sent() {
  static_assert(Why != refusal::pointer,
                "armilla: a pointer cannot be sent: its address means nothing on another rank; send the value, an armilla::view "
                "of it or an armilla::global_ptr");
  static_assert(Why != refusal::reference, "armilla: a reference cannot be sent: arguments travel by value; take the value");
  static_assert(Why != refusal::borrowing,
                "armilla: a span or string_view cannot be sent: it points into this rank's memory; send an armilla::view, a "
                "vector or a string");
  static_assert(Why != refusal::reference_wrapper,
                "armilla: a reference_wrapper cannot be sent: it is an address; send the value");
  static_assert(Why != refusal::smart_pointer,
                "armilla: a smart pointer that shares cannot be sent: what it points to stays on this rank; send the value, a "
                "unique_ptr, or a global_ptr to it");
  static_assert(Why != refusal::iterator, "armilla: an iterator cannot be sent: it is an address; send an index or a global_ptr");
  static_assert(Why != refusal::view_inside,
                "armilla: a view can be an argument, but neither a member nor an element of one; use a vector there");
  static_assert(Why != refusal::too_many_members,
                "armilla: an aggregate of more than 24 members cannot be sent; group them, give it a define_type member, or "
                "specialize armilla::sendable_as_bytes");
  static_assert(Why != refusal::fixed_members,
                "armilla: an aggregate with const or reference members cannot be sent; make them plain values or give it a "
                "define_type member");
  static_assert(Why != refusal::bit_fields,
                "armilla: an aggregate with bit-fields beside members that need a copy of their own cannot be sent; make the "
                "bit-fields plain members, or give it a define_type member");
  static_assert(Why != refusal::base_class,
                "armilla: a class with a base class cannot be taken apart; give it a member void define_type(auto& t) that lists "
                "the members of both, or make the base a member");
  static_assert(Why != refusal::array_without_default,
                "armilla: an aggregate with an array beside a member without a default constructor cannot be sent; make the "
                "array a std::array, or specialize armilla::sendable_as_parts");
  static_assert(Why != refusal::team,
                "armilla: a team cannot be sent: each member has a value of its own, from split or dup; keep it in a "
                "per_rank<team>, and let the body use that of its rank");
  static_assert(Why != refusal::future, "armilla: a future cannot be sent: its reply comes to this rank; send what get() gives");
  static_assert(Why != refusal::distributed,
                "armilla: a distributed object cannot be sent: every rank has its part; send h.on(r), the name of a part");
  static_assert(Why != refusal::spread_array,
                "armilla: a spread_array cannot be sent: every rank has its elements; send x.ptr(i), a global_ptr");
  static_assert(Why != refusal::named_object,
                "armilla: a distributed container cannot be sent: every rank has its part; pass x.handle(), and let the called "
                "function take the handle_type and write h->");
  static_assert(Why != refusal::immovable, "armilla: a type that cannot be moved cannot be sent; send a copy of its value");
  static_assert(Why != refusal::state,
                "armilla: a container with a comparator or hash that has state cannot be sent: it is made again by its default "
                "constructor; use a function object without state, or send a vector of the elements");
  static_assert(Why != refusal::allocator,
                "armilla: a container with an allocator that has state cannot be sent: it belongs to this rank; send a vector of "
                "the elements");
  static_assert(Why != refusal::owner_of_base,
                "armilla: a unique_ptr to a class with virtual functions cannot be sent: it may own an object of a derived "
                "class; send the values that make it, or a variant of the derived classes");
  static_assert(Why != refusal::owner_of_array,
                "armilla: a unique_ptr to an array cannot be sent: it does not know its length; use a vector");
  static_assert(Why != refusal::deleter, "armilla: a unique_ptr with a deleter of its own cannot be sent; send the value");
  static_assert(
      Why != refusal::error_code,
      "armilla: an error code cannot be sent: it holds the address of its category; send its value() and the category's name()");
  static_assert(Why != refusal::any_content,
                "armilla: a std::function or std::any cannot be sent: the compiler does not know what it holds; send a variant, "
                "or call a function with the values as arguments");
  static_assert(Why != refusal::standard,
                "armilla: this type of the standard library cannot be sent: it means nothing on another rank; send the values "
                "that you need of it");
  static_assert(
      Why != refusal::like_container,
      "armilla: this class is no container of the standard library; specialize armilla::sendable_as_container if its elements "
      "are all of it, else give it a member void define_type(auto& t), or specialize armilla::sendable_as_parts");
  static_assert(Why != refusal::like_tuple,
                "armilla: this class is neither pair nor tuple of the standard library; specialize armilla::sendable_as_parts "
                "for it with parts() and make()");
  static_assert(Why != refusal::no_default,
                "armilla: this class cannot be copied as bytes, and has no default constructor to make it again; specialize "
                "armilla::sendable_as_parts for it with parts() and make()");
  static_assert(Why != refusal::unknown,
                "armilla: this type can be neither copied as bytes nor taken apart; give it a member void define_type(auto& t) "
                "that lists its members, or, if you cannot change it, specialize armilla::sendable_as_parts for it");
}

}  // namespace detail

/// Compiles only if `T` is sendable; otherwise the compiler's message says what to do.
template <class T>
constexpr void require_sendable() {
  if constexpr (!sendable<T>) {
    using at = decltype(detail::find_culprit<T, T, 0>());
    detail::cannot_be_sent<detail::verdict_of<T>.why, typename at::type, at::number, typename at::whole>();
  }
}

namespace detail {

/// Whether a T holds an address of its rank, as far as can be seen, and so cannot be an element that is stored for long.
template <class T>
inline constexpr bool holds_address = [] {
  const refusal why = verdict_of<T>.why;
  return why == refusal::pointer || why == refusal::reference || why == refusal::borrowing || why == refusal::reference_wrapper ||
         why == refusal::smart_pointer || why == refusal::iterator || why == refusal::error_code || why == refusal::standard;
}();

/// Compiles only if T can be an element of a container: trivially copyable without an address, or sendable.
template <class T>
constexpr bool require_element() {
  if constexpr (holds_address<T> || !std::is_trivially_copyable_v<T>) require_sendable<T>();
  return true;
}

}  // namespace detail

/// Compiles only if `T` can be a result of a call or a value of a collective.
template <class T>
constexpr void require_sendable_value() {
  require_sendable<T>();
  static_assert(!detail::is_view<std::remove_cv_t<T>>,
                "armilla: a view can be an argument, but no result: it would point into memory of another rank; return a vector");
}

/// Compiles only if `F` can be sent as the function of a call.
template <class F>
constexpr void require_sendable_closure() {
  static_assert(
      std::is_pointer_v<F> || sendable_closure<F>,
      "armilla: a closure may capture only trivially copyable values; pass strings, vectors and the like as arguments of "
      "the call, and a distributed container as x.handle()");
}

}  // namespace armilla
