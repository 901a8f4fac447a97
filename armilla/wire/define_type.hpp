// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "armilla/error.hpp"
#include "armilla/wire/kinds.hpp"

/// A class that cannot be taken apart lists its members once; the list counts, writes and reads it.
///
///     class polygon {
///      public:
///       polygon() = default;             // owns nothing, its pointers are null: reading starts from it
///       void define_type(auto& t) {
///         t.local(name_);                        // anything sendable that lies in the object
///         t.local(corners_);
///         t.dynamic(points_, corners_);          // elements made with new[], and how many; owned by the object
///       }
///       ~polygon() { delete[] points_; }
///      private:
///       std::string name_;
///       int corners_ = 0;
///       point* points_ = nullptr;
///     };
///
/// For a class that you cannot change, specialize `armilla::sendable_as_parts` (armilla/wire/kinds.hpp): it holds the same list
/// as a function outside of the class. For a class without a default constructor it says what the class is made of, and how.
///
/// Rules: `define_type` is public and takes the same way for every value. The class is default constructible and movable.
/// Reading makes the elements of a `dynamic` with new T[n] (null if n is 0) and sets its count if that is a plain
/// variable; if the bytes are bad the half-read object is destroyed, with every count and pointer consistent.
/// Objects that contain themselves by way of a `dynamic` or a container may nest 100 deep.
/// Paper: STAPL's communication infrastructure, section 5.2 ("local" and "dynamic" members).
namespace armilla::detail {

inline constexpr int max_nesting = 100;

/// Lists the members of `x`, from inside its class or from outside.
template <class T, class List>
void list_members(T& x, List& list) {
  static_assert(
      std::is_default_constructible_v<T> && std::is_move_constructible_v<T>,
      "armilla: a class with a define_type is made by its default constructor where it arrives, and moved: give it one, "
      "or specialize armilla::sendable_as_parts for it with parts() and make()");
  if constexpr (listed_outside<T>)
    sendable_as_parts<T>::define_type(x, list);
  else
    x.define_type(list);
}

template <std::integral Count>
std::size_t checked_count(const Count& count) {
  if constexpr (std::signed_integral<Count>) {
    if (count < 0) throw_usage("send", "define_type: the count of a dynamic member is negative; set it before you send");
  }
  return static_cast<std::size_t>(count);
}

/// Whether a count is a variable that reading sets, or a value that what is read must equal.
template <class Count>
inline constexpr bool settable_count = std::is_lvalue_reference_v<Count> && !std::is_const_v<std::remove_reference_t<Count>>;

}  // namespace armilla::detail
