// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/create.hpp"
#include "armilla/dialect/sync_ptr.hpp"
#include "armilla/dialect/value_ptr_inline.hpp"
#include "armilla/error.hpp"
#include "armilla/named_object.hpp"
#include "armilla/remote.hpp"

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

// A member of `methods`: knows the pointer through which it was reached.
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

// Waits for an object that is not wanted any more, if it was made.
template <class T>
void let_go(future<remote<T>>& made) {
  try {
    made.get().reset();
  } catch (const error&) {}  // NOLINT(bugprone-empty-catch): another error is reported
}

// A processor object as a value.
template <class T>
struct object_read {
  armilla::detail::object_name name;
  T operator()() const {
    armilla::detail::object_use use = armilla::detail::use_object<T>(name, "read");
    return use.template as<T>();
  }
};
template <class T>
struct object_write {
  armilla::detail::object_name name;
  void operator()(T value) const {
    armilla::detail::object_use use = armilla::detail::use_object<T>(name, "write");
    use.template as<T>() = std::move(value);
  }
};

// A sync variable that is a data member of a processor object: read and written as through a pointer.
template <auto M, class T>
struct sync_member_read {
  armilla::detail::object_name name;
  auto operator()() const {
    armilla::detail::object_use use = armilla::detail::use_object<T>(name, "call");
    auto value = (use.template as<T>().*M).read();
    return value;
  }
};
template <auto M, class T, class V>
struct sync_member_write {
  armilla::detail::object_name name;
  void operator()(V value) const {
    armilla::detail::object_use use = armilla::detail::use_object<T>(name, "write");
    (use.template as<T>().*M).write(std::move(value));
  }
};

// What a data member reads as, and whether it is a sync variable.
template <class M>
struct field_value {
  using type = M;
  static constexpr bool sync = false;
};
template <sync_variable M>
struct field_value<M> {
  using type = typename sync_value<M>::type;
  static constexpr bool sync = true;
};

template <class T, auto M>
class field : public reached<T> {
  static_assert(std::is_member_object_pointer_v<decltype(M)>,
                "armilla: field<&T::m> names a data member; a method is named by "
                "rpc<&T::m>");
  using held = field_value<typename armilla::detail::member_of<decltype(M)>::value>;

 public:
  using value_type = std::remove_cv_t<typename held::type>;

  explicit field(const auto* all) noexcept : reached<T>(all->object()) {}
  value_type get() const {
    if constexpr (held::sync) {
      const auto& ref = armilla::detail::held_by(this->object(), "read");
      return call(ref.rank, sync_member_read<M, T>{ref.name}).get();
    } else {
      return call<M>(this->object()).get();
    }
  }
  operator value_type() const { return get(); }  // NOLINT(google-explicit-constructor): reading
  const field& operator=(const value_type& value) const
    requires(!std::is_const_v<typename held::type>)
  {  // NOLINT(misc-unconventional-assign-operator)
    const auto& ref = armilla::detail::held_by(this->object(), "write");
    if constexpr (held::sync)
      call(ref.rank, sync_member_write<M, T, value_type>{ref.name}, value).get();
    else
      call(ref.rank, armilla::detail::member_of_object<M, T>{ref.name}, value).get();
    return *this;
  }

  /// Of a global pointer that is the member: `*gp->p`, `gp->next->foo()`.
  auto operator*() const
    requires pointer_to_memory<value_type>
  {
    return *get();
  }
  value_type operator->() const
    requires pointer<value_type>
  {
    return get();  // lives as long as the expression
  }
};

}  // namespace detail
}  // namespace armilla::ccpp
