// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/create.hpp"
#include "armilla/method.hpp"
#include "armilla/object/named_object_inline.hpp"

/// Processor objects of classes that other programs do not have. The programs share the names of methods, and perhaps an
/// interface.
///
/// Use them for objects of other programs and of loaded libraries. Inside one program, `create<T>` needs no names.
///
///     // solver_api.hpp, included by both
///     namespace solver_api {
///     struct solver;                                                     // a name for references; needs no definition
///     inline constexpr am::method<am::remote<solver>(int)> make{"demo.solver.make"};
///     inline constexpr am::method<double(double)> step{"demo.solver.step"};
///     }
///
/// Then one program or library provides the class, and any program of the job uses it:
///
///     am::provide_class<solver_api::make, fast_solver>();
///     am::provide<solver_api::step, &fast_solver::step>();
///
///     auto s = am::create<solver_api::make>(rank, 100);
///     double r = am::call<solver_api::step>(s, 0.1).get();
///
/// Paper: MRPC, sections 2 and 4.
namespace armilla {

/// Makes the member function `F` the method `M` of the objects of its class, and of classes derived from it, on this rank. Ranks
/// of every program may call it from now on.
///
/// Each class has its own; that of a derived class takes precedence. Throws `usage_error` if the class already provides the name
/// as something else.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && std::is_member_function_pointer_v<decltype(F)>)
void provide() {
  using C = detail::owner<F>;
  using calls = detail::object_calls<M>;
  static_assert(detail::method_calls<M>::template fits_member<F, C>,
                "armilla: the member function cannot be called with the values of the method's signature, or its result is none "
                "of its");
  auto& members = detail::head_here("provide").objects->members;
  if (members.add(M.name(), detail::description_of<M>.hash, typeid(C), &detail::find_base<C>,
                  reinterpret_cast<detail::erased_body>(&calls::template body<F>)))
    provide<detail::object_method<M>, &calls::run>();
}

/// Makes `create<M>` create a `T` on this rank, for ranks of every program. The signature of `M` is
/// `remote<Interface>(arguments...)`; `T` need not derive from `Interface`.
template <const auto& M, class T>
  requires detail::method_tag<M>
void provide_class() {
  provide<M, &detail::object_calls<M>::template make<T>>();
}

/// Creates an object as rank `dest`, of any program, provides it under `M`: see `provide_class`. Returns a future of a reference.
/// Cost and errors are those of `call`.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto create(rank_t dest, A&&... arguments) {
  return call<M>(dest, std::forward<A>(arguments)...);
}

/// Runs what the object's class provides as `M`, and returns a future of the result: `call<solver_api::step>(s, 0.1)`. `get()`
/// also throws if its class does not provide the method.
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call");
  return call<detail::object_method<M>>(held.rank, held.name, std::forward<A>(arguments)...);
}
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(future<remote<T>>& object, A&&... arguments) {
  auto make_call = [all = detail::kept_arguments(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
    return std::apply([&](auto&... each) { return call<M>(there, each.argument()...); }, all);
  };
  return detail::call_when_there(object, std::move(make_call));
}
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(future<remote<T>>&& object, A&&... arguments) {
  return call<M>(object, std::forward<A>(arguments)...);
}

/// Runs what the object's class provides as `M`. One-way.
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
void async(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "async");
  async<detail::object_method<M>>(held.rank, held.name, std::forward<A>(arguments)...);
}
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
void async(future<remote<T>>& object, A&&... arguments) {
  auto make_call = [all = detail::kept_arguments(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
    std::apply([&](auto&... each) { async<M>(there, each.argument()...); }, all);
  };
  detail::state_when_there(object, std::move(make_call));
}
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
void async(future<remote<T>>&& object, A&&... arguments) {
  async<M>(object, std::forward<A>(arguments)...);
}

}  // namespace armilla
