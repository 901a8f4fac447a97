// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <type_traits>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/error.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/object/member_pointer_inline.hpp"
#include "armilla/remote.hpp"
#include "armilla/rpc/kept_argument.hpp"

// What the templates of value_ptr.hpp are made of.
namespace armilla::ccpp::detail {

using armilla::detail::pointer_to_memory;
/// The same, or a reference to a processor object.
template <class P>
concept pointer = pointer_to_memory<P> || std::derived_from<P, armilla::detail::remote_base>;

template <class T>
T& own_value(const global_ptr<T>& p, const char* operation) {
  T* const value = p.is_local() ? p.local() : nullptr;
  if (value == nullptr) [[unlikely]]
    armilla::detail::throw_usage(operation,
                                 "the global pointer does not point to an object of this rank; make it there, by to_global");
  return *value;
}

template <class T>
bool lies_here(const global_ptr<T>& p, const char* operation) {
  if (!p) [[unlikely]]
    armilla::detail::throw_usage(operation, "the global pointer is null");
  return p.is_local();
}

template <class T>
std::remove_cv_t<T> read_value(const global_ptr<T>& p) {
  using V = std::remove_cv_t<T>;
  if constexpr (std::is_trivially_copyable_v<V>) {
    return (*p).get();
  } else {
    static_assert(std::is_copy_constructible_v<V>,
                  "armilla: what is read through a global pointer is copied, and the class has "
                  "no copies; give it a method that says what is wanted");
    require_sendable_value<V>();
    if (lies_here(p, "read")) return own_value(p, "read");
    return call(p.rank(), [](global_ptr<T> at) -> V { return own_value(at, "read"); }, p).get();
  }
}

template <class T>
void write_value(const global_ptr<T>& p, T&& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    (*p).set(value);
  } else {
    require_sendable_value<T>();
    if (lies_here(p, "write"))
      own_value(p, "write") = std::move(value);
    else
      call(p.rank(), [](global_ptr<T> at, T there) { own_value(at, "write") = std::move(there); }, p, std::move(value)).get();
  }
}

/// A method of an object on another rank, as something to call there.
template <class T, class F, class C>
struct method_there {
  armilla::detail::portable_member<F, C> method;

  template <class... A>
    requires std::is_invocable_v<F C::*, T&, A...>
  auto operator()(const global_ptr<T>& at, A&&... arguments) const {
    return (own_value(at, "call").*method.get())(std::forward<A>(arguments)...);
  }
};

/// What `p->*&T::m` gives for a method: to be called. Arguments become the method's parameters here, as C++ does it.
template <class T, class F, class C, class Parameters = typename armilla::detail::parameters_of<F C::*>::type>
class bound_method;
template <class T, class F, class C, class... P>
class bound_method<T, F, C, armilla::detail::parameters<P...>> {
 public:
  bound_method(const global_ptr<T>& at, F C::* method) : at_(at), method_(method) {}

  auto operator()(std::decay_t<P>... arguments) const {
    static_cast<void>(lies_here(at_, "call"));  // not null
    const method_there<T, F, C> body{armilla::detail::portable_member<F, C>::of(method_, "call")};
    return call(at_.rank(), body, at_, std::move(arguments)...).get();
  }

 private:
  global_ptr<T> at_;
  F C::* method_;
};

}  // namespace armilla::ccpp::detail
