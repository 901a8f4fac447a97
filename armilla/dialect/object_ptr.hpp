// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <type_traits>
#include <utility>

#include "armilla/create.hpp"
#include "armilla/dialect/object_ptr_inline.hpp"
#include "armilla/library.hpp"
#include "armilla/named_object.hpp"
#include "armilla/remote.hpp"

/// Global pointers to objects whose methods are called as those of plain pointers: `gpObj->foo(ly)`.
namespace armilla::ccpp {

/// The base of a class's `methods`: which of its members are reached by `->` from other ranks, a line each.
///
///     class OBJ {
///      public:
///       void foo();
///       void foo(int ly);
///       double x;
///       struct methods : ccpp::methods<OBJ> {
///         rpc<overload<void()>(&OBJ::foo), overload<void(int)>(&OBJ::foo)> foo{this};   // an overloaded name: all at once
///         field<&OBJ::x> x{this};
///       };
///     };
///
///     global<OBJ *> gpObj = new_object<OBJ>(rank, arguments...);
///     gpObj->foo(3);
///
/// A call converts its arguments to the method's parameters as C++ does, and waits for the end of the method, on whatever rank;
/// other fibers and incoming calls run meanwhile. `par`, `parfor` and `spawn` let several run at once. The method's exception is
/// thrown. Methods of a base are named with `&Base::m`, virtual ones work. Default arguments are not seen: name an overload.
/// Cost: a two-way call (`call`) each.
/// Paper: MRPC, section 2 (methods through global pointers), figure 1.
template <class T>
class methods {
 public:
  methods(const remote<T>& object) noexcept : object_(&object) {}  // NOLINT(google-explicit-constructor): `{object}`
  methods(const methods&) = delete;
  methods& operator=(const methods&) = delete;
  const remote<T>& object() const noexcept { return *object_; }

 protected:
  template <auto... M>
  using rpc = detail::rpc<T, M...>;
  /// A method of a class that this program does not have, by its tag.
  template <const auto& M>
  using named_rpc = detail::named_rpc<T, M>;
  template <auto M>
  using field = detail::field<T, M>;

 private:
  const remote<T>* object_;
};

/// Picks an overload: `overload<double(int)>(&T::m)` is the one with this signature; `double(int) const` if it is const.
template <class Signature, class C>
consteval auto overload(Signature C::* method) {
  return method;
}

/// A class whose methods can be called by `->`.
template <class T>
concept has_methods = requires { typename T::methods; } && std::is_base_of_v<methods<T>, typename T::methods>;

/// The result of `*p` for a pointer to a processor object: converting it to T copies the object, assigning to it assigns to the
/// object. For classes that are sendable; of a derived class the T in it, as in C++. Errors and cost: as a call of a method.
template <class T>
class object_value {
 public:
  explicit object_value(const remote<T>& object) noexcept : object_(object) {}
  object_value(const object_value&) = delete;

  T get() const {
    const auto& held = armilla::detail::held_by(object_, "read");
    return call(held.rank, detail::object_read<T>{held.name}).get();
  }
  operator T() const { return get(); }  // NOLINT(google-explicit-constructor): reading

  // NOLINTBEGIN(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator): assigned through
  const object_value& operator=(T value) const {
    const auto& held = armilla::detail::held_by(object_, "write");
    call(held.rank, detail::object_write<T>{held.name}, std::move(value)).get();
    return *this;
  }
  const object_value& operator=(const object_value& from) const { return *this = from.get(); }
  const object_value& operator=(const object_value& from) { return std::as_const(*this) = from.get(); }
  // NOLINTEND(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator)

 private:
  remote<T> object_;
};

/// CC++'s `T *global` for a processor object: a counted reference (`remote<T>`, to which it converts) with `->`.
template <class T>
class object_ptr : public remote<T> {
  // Lives as long as the expression that contains `->`. Made in place: its members know its address.
  template <class Methods>
  struct arrow {
    Methods all;
    const Methods* operator->() const noexcept { return &all; }
  };

 public:
  object_ptr() noexcept = default;
  object_ptr(std::nullptr_t) noexcept {}
  object_ptr(remote<T> ref) noexcept : remote<T>(std::move(ref)) {}  // NOLINT(google-explicit-constructor): the same thing
  template <class D>
    requires(!std::is_same_v<D, T> && std::is_convertible_v<D*, T*>)
  object_ptr(object_ptr<D> derived) noexcept  // NOLINT(google-explicit-constructor): as for plain pointers
      : remote<T>(static_cast<remote<D>&&>(derived)) {}

  /// Its members, to be called; see `methods`. Errors: usage_error for a null pointer, remote_error when the object is gone.
  auto operator->() const {
    static_assert(has_methods<T>, "armilla: `->` reaches what the class names in a public struct methods : ccpp::methods<T>");
    return arrow<typename T::methods>{{{*this}}};
  }

  /// The object itself, to be copied or assigned to.
  object_value<T> operator*() const { return object_value<T>(*this); }
};

/// CC++'s `new (place) T(arguments...)`: makes an object on rank `place` and waits for the end of its constructor. It lives until
/// `delete_object` or the last pointer to it is gone. Errors and cost as `create`.
template <class T, class... A>
[[nodiscard]] object_ptr<T> new_object(rank_t place, A&&... arguments) {
  return create<T>(place, std::forward<A>(arguments)...).get();
}
/// The same by a method tag, for a class of another program; see `provide_class`.
template <const auto& M, class... A>
  requires armilla::detail::method_tag<M>
[[nodiscard]] auto new_object(rank_t place, A&&... arguments) {
  using made = decltype(create<M>(place, std::forward<A>(arguments)...).get());
  return object_ptr<typename made::object_type>(create<M>(place, std::forward<A>(arguments)...).get());
}

/// CC++'s `proc_t`: where a processor object is to be, and which executable has its class. Here that is a shared library, which
/// rank `place` loads if it has not yet (`load_library` says which may be). Without a library the program there has the class.
struct proc_t {
  proc_t(std::string library, rank_t place) : executable(std::move(library)), host(place) {}
  std::string executable;
  rank_t host;
};
/// CC++'s `new (placement) T(arguments...)`: the rank loads the library, and makes the object as the library provides it under
/// the tag. Waits for both, which run at the same time.
///
///     global<counter_api::counter *> c = new_object<counter_api::make>(proc_t("libcounters.so", 3), 5);
///
/// Errors: remote_error that says why the library could not be loaded, or what the constructor threw. Cost: two two-way calls at
/// once. Paper: MRPC, section 4 ("an incoming request to dynamically load processor objects").
template <const auto& M, class... A>
  requires armilla::detail::method_tag<M>
[[nodiscard]] auto new_object(const proc_t& placement, A&&... arguments) {
  future<void> loaded = placement.executable.empty() ? make_future() : load_library(placement.host, placement.executable);
  auto made = create<M>(placement.host, std::forward<A>(arguments)...);
  try {
    loaded.get();
  } catch (const error&) {  // says more than that there is no such class
    detail::let_go(made);
    throw;
  }
  auto object = made.get();
  return object_ptr<typename decltype(object)::object_type>(std::move(object));
}

/// CC++'s `delete p`: destroys the object as soon as no method runs in it. Does not wait; later calls to it are errors.
template <class T>
void delete_object(const object_ptr<T>& p) {
  destroy(p);
}

}  // namespace armilla::ccpp
