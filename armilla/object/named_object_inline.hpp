// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/create.hpp"
#include "armilla/method.hpp"

// What the templates of named_object.hpp are made of.
namespace armilla {
namespace detail {

/// Of remote<T>: the wire name of T, if it has one, says which interface it is.
template <class T>
constexpr void describe_parameters(auto& out, const remote<T>*) {
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
  static constexpr void write(auto& out) {
    out.put(M.name());
    out.put(" (of an object)");
  }
};

/// The method `M` as it travels when it is called for an object: the object's name comes first.
template <const auto& M>
inline constexpr method<typename of_object<signature_of<M>>::signature> object_method{
    spelled_text<object_method_name<M>>::spelled.text};

template <const auto& M, class S = signature_of<M>>
struct object_calls;
template <const auto& M, class R, class... P>
struct object_calls<M, R(P...)> {
  using result = std::decay_t<R>;
  using thunk = result (*)(object_use& object, std::decay_t<P>&&... arguments);

  /// What every rank that provides `M` for some class runs: finds that of the object's class.
  static result run(object_name name, std::decay_t<P>... arguments) {
    object_use use(name, M.name());
    const auto body = reinterpret_cast<thunk>(current_head->objects->members.find(M.name(), use.slot()));
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
    object_slot& slot = current_head->objects->slots.add(new T(std::move(arguments)...), kind_of_object<T>, {});
    return remote_access::seen_as<typename result::object_type>(remote_access::make<T>(first_reference(*current, slot)));
  }
};

}  // namespace detail
}  // namespace armilla
