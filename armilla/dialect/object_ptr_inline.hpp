// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/object/create.hpp"
#include "armilla/object/named_object.hpp"
#include "armilla/object/remote.hpp"

// What the templates of object_ptr.hpp are made of.
namespace armilla::ccpp {
namespace detail {

// A method of the object that `holder` refers to, for one signature of its name.
template <class Holder, auto M, class Signature = decltype(M)>
struct rpc_as;

template <class Holder, auto M, class C, class R, class... P>
struct rpc_body {
  std::decay_t<R> operator()(P... arguments) const {
    return call<M>(static_cast<const Holder&>(*this).object(), std::forward<P>(arguments)...).get();
  }
};
// clang-format off
template <class H, auto M, class C, class R, class... P> struct rpc_as<H, M, R (C::*)(P...)> : rpc_body<H, M, C, R, P...> {};
template <class H, auto M, class C, class R, class... P> struct rpc_as<H, M, R (C::*)(P...) const> : rpc_body<H, M, C, R, P...> {};
template <class H, auto M, class C, class R, class... P> struct rpc_as<H, M, R (C::*)(P...) noexcept> : rpc_body<H, M, C, R, P...> {};
template <class H, auto M, class C, class R, class... P> struct rpc_as<H, M, R (C::*)(P...) const noexcept> : rpc_body<H, M, C, R, P...> {};
// clang-format on

// What stands in `methods` for a member: knows the pointer through which it was reached.
template <class T>
class reached {
 public:
  explicit reached(const remote<T>& object) noexcept : object_(&object) {}
  reached(const reached&) = delete;
  reached& operator=(const reached&) = delete;
  const remote<T>& object() const noexcept { return *object_; }

 private:
  const remote<T>* object_;
};

template <class T, auto... M>
class rpc : public reached<T>, public rpc_as<rpc<T, M...>, M>... {
  static_assert(sizeof...(M) > 0 && (std::is_member_function_pointer_v<decltype(M)> && ...),
                "armilla: rpc<&T::m> names a method; a data member is named by field<&T::m>");

 public:
  explicit rpc(const auto* all) noexcept : reached<T>(all->object()) {}
  using rpc_as<rpc<T, M...>, M>::operator()...;
};

template <class T, const auto& M>
class named_rpc : public reached<T> {
 public:
  explicit named_rpc(const auto* all) noexcept : reached<T>(all->object()) {}
  template <class... A>
  auto operator()(A&&... arguments) const {
    return call<M>(this->object(), std::forward<A>(arguments)...).get();
  }
};

template <class T, auto M>
class field : public reached<T> {
  static_assert(std::is_member_object_pointer_v<decltype(M)>,
                "armilla: field<&T::m> names a data member; a method is named by "
                "rpc<&T::m>");

 public:
  using value_type = std::remove_cv_t<typename armilla::detail::member_of<decltype(M)>::value>;

  explicit field(const auto* all) noexcept : reached<T>(all->object()) {}
  operator value_type() const { return call<M>(this->object()).get(); }  // NOLINT(google-explicit-constructor): reading
  const field& operator=(const value_type& value) const {                // NOLINT(misc-unconventional-assign-operator)
    const auto& held = armilla::detail::held_by(this->object(), "write");
    call(held.rank, armilla::detail::member_of_object<M, T>{held.name}, value).get();
    return *this;
  }
};

}  // namespace detail
}  // namespace armilla::ccpp
