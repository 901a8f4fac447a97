// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <type_traits>

#include "armilla/mutex.hpp"

namespace armilla {

/// The atomic methods of a class: calls of them to one object exclude each other, also while they wait, and run in the order in
/// which they arrived.
///
/// Use it for methods that wait in the middle of a change. Methods that do not wait exclude each other anyway.
///
///     class account {
///      public:
///       long deposit(long amount);
///       void audit();                                // waits for other ranks
///       long balance() const;                        // not atomic: may run while audit waits
///       static constexpr am::atomic_list<&account::deposit, &account::audit> atomic_methods{};
///     };
///
/// The list comes after the methods that it names, and is public. A method is looked up in the class that declares it, and is
/// atomic whether it is called by that class or by a derived one. Calls by reference (armilla/remote.hpp) and to parts of
/// distributed objects obey it; a plain call in C++ does not. An atomic method that waits for a call to an atomic method of its
/// own object waits forever.
///
/// **Cost.** Some 2 ns for an atomic call that meets no other.
///
/// Paper: MRPC, sections 3 and 6 (atomic RPC); CC++ (atomic functions).
template <auto... M>
  requires(std::is_member_function_pointer_v<decltype(M)> && ...)
struct atomic_list {};

namespace detail {

template <class M>
struct member_of;
template <class T, class V>
struct member_of<V T::*> {
  using object = T;
  using value = V;
};

template <auto V>
struct constant {};

template <auto M, auto... L>
consteval bool is_listed(const atomic_list<L...>&) {
  return (std::is_same_v<constant<M>, constant<L>> || ...);
}

template <class T>
concept has_atomic_methods = requires { T::atomic_methods; };

template <auto M>
consteval bool judge_atomic() {
  using C = typename member_of<decltype(M)>::object;
  if constexpr (std::is_member_function_pointer_v<decltype(M)> && has_atomic_methods<C>)
    return is_listed<M>(C::atomic_methods);
  else
    return false;
}
template <auto M>
inline constexpr bool is_atomic_method = judge_atomic<M>();

/// A rank's part of a distributed object, with the lock of its atomic methods if it has any. The object comes first: its address
/// is that of the part.
template <class T>
struct lockable_part {
  T object;
};
template <has_atomic_methods T>
struct lockable_part<T> {
  T object;
  mutex atomic{};
};

/// Has the object for itself while it lives; without the condition: nothing.
template <bool Atomic>
struct atomic_section {
  template <class Object>
  explicit atomic_section(Object&&) noexcept {}
};
template <>
struct atomic_section<true> {
  template <class Object>
  explicit atomic_section(Object& object) : lock(mutex_of(object)) {}
  std::lock_guard<mutex> lock;

 private:
  template <class Object>
  static mutex& mutex_of(Object& object) {
    if constexpr (requires { object.atomic(); })
      return object.atomic();
    else
      return reinterpret_cast<lockable_part<Object>&>(object).atomic;
  }
};

}  // namespace detail
}  // namespace armilla
