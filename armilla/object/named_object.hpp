// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armilla/object/create.hpp"
#include "armilla/rpc/method.hpp"

/// Processor objects of classes that other programs do not have: the programs share method tags, and perhaps an interface.
///
///     // solver_api.hpp, included by both
///     namespace solver_api {
///     struct solver;                                                     // a name for references; needs no definition
///     inline constexpr am::method<am::remote<solver>(int)> make{"demo.solver.make"};
///     inline constexpr am::method<double(double)> step{"demo.solver.step"};
///     }
///
///     am::provide_class<solver_api::make, fast_solver>();                // in the program or library that has it
///     am::provide<solver_api::step, &fast_solver::step>();
///
///     auto s = am::create<solver_api::make>(rank, 100);                  // in any program of the job
///     double r = am::call<solver_api::step>(s, 0.1).get();
///
/// Paper: MRPC, sections 2 and 4.
namespace armilla {
namespace detail {

/// Of remote<T>: the wire name of T, if it has one, says which interface it is.
template <class T>
constexpr void describe_parameters(text_sink& out, const remote<T>*) {
  if constexpr (own_wire_name<T>() != nullptr) {
    out.put('<');
    out.put(own_wire_name<T>());
    out.put('>');
  }
}

template <class S>
struct of_object;
template <class R, class... P>
struct of_object<R(P...)> {
  using signature = R(object_name, P...);
};

template <const auto& M>
struct object_method_name {
  static constexpr const char* suffix = " (of an object)";
  static constexpr std::size_t size = [] {
    text_sink count;
    count.put(M.name());
    count.put(suffix);
    return count.size;
  }();
  struct letters {
    char text[size + 1] = {};
  };
  static constexpr letters spelled = [] {
    letters all;
    text_sink out{all.text};
    out.put(M.name());
    out.put(suffix);
    return all;
  }();
};

/// The method `M` as it travels when it is called for an object: the object's name comes first.
template <const auto& M>
inline constexpr method<typename of_object<signature_of<M>>::signature> object_method{object_method_name<M>::spelled.text};

template <const auto& M, class S = signature_of<M>>
struct object_calls;
template <const auto& M, class R, class... P>
struct object_calls<M, R(P...)> {
  using result = std::decay_t<R>;
  using thunk = result (*)(object_use& object, std::decay_t<P>&&... arguments);

  /// What every rank that provides `M` for some class runs: finds that of the object's class.
  static result run(object_name name, std::decay_t<P>... arguments) {
    object_use use(name, M.name());
    const auto body = reinterpret_cast<thunk>(current->objects->members.find(M.name(), use.slot()));
    return body(use, std::move(arguments)...);
  }

  template <auto F>
  static result body(object_use& use, std::decay_t<P>&&... arguments) {
    [[maybe_unused]] const atomic_section<is_atomic_method<F>> alone(use);
    return static_cast<result>((use.template as<owner<F>>().*F)(std::move(arguments)...));
  }

  /// Makes a T: R is a remote<...>.
  template <class T>
  static result make(std::decay_t<P>... arguments) {
    object_slot& slot = current->objects->slots.add(new T(std::move(arguments)...), kind_of_object<T>, {});
    return remote_access::seen_as<typename result::object_type>(remote_access::make<T>(first_reference(*current, slot)));
  }
};

}  // namespace detail

/// Lets ranks of every program call `F` as method `M` of the objects of its class, and of those derived from it, that live on
/// this rank. Each class has its own; of a derived class goes first. At any time. Errors: usage_error when the class already
/// provides the name as something else.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && std::is_member_function_pointer_v<decltype(F)>)
void provide() {
  using C = detail::owner<F>;
  using calls = detail::object_calls<M>;
  static_assert(detail::method_calls<M>::template fits_member<F, C>,
                "armilla: the member function cannot be called with the values of the method's signature, or its result is none "
                "of its");
  auto& members = detail::here("provide").objects->members;
  if (members.add(M.name(), detail::description_of<M>.hash, typeid(C), &detail::find_base<C>,
                  reinterpret_cast<detail::erased_body>(&calls::template body<F>)))
    provide<detail::object_method<M>, &calls::run>();
}

/// Lets ranks of every program create a T on this rank by `create<M>`; the signature of `M` is `remote<Interface>(arguments...)`.
/// T need not derive from Interface.
template <const auto& M, class T>
  requires detail::method_tag<M>
void provide_class() {
  provide<M, &detail::object_calls<M>::template make<T>>();
}

/// Makes an object as rank `dest` (of whichever program) provides it under `M`; see `provide_class`. Cost and errors as `call`.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto create(rank_t dest, A&&... arguments) {
  return call<M>(dest, std::forward<A>(arguments)...);
}

/// Question by name to an object, of whatever class and program. Errors as `call`, and if its class provides no such method.
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call");
  return call<detail::object_method<M>>(held.rank, held.name, std::forward<A>(arguments)...);
}
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(future<remote<T>>& object, A&&... arguments) {
  auto make_call = [all = std::tuple<detail::sent_as<A>...>(std::forward<A>(arguments)...)](const remote<T>& there) mutable {
    return std::apply([&](auto&... each) { return call<M>(there, std::move(each)...); }, all);
  };
  return detail::call_when_there(object, std::move(make_call));
}

/// Statement by name to an object.
template <const auto& M, class T, class... A>
  requires detail::method_tag<M>
void async(const remote<T>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "async");
  async<detail::object_method<M>>(held.rank, held.name, std::forward<A>(arguments)...);
}

}  // namespace armilla
