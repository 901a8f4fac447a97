// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/rpc/method_inline.hpp"
#include "armilla/wire/signature.hpp"

/// Methods that ranks of any program call by name: the programs share a line of a header, and no code.
///
///     // solver_api.hpp, included by both
///     namespace solver_api { inline constexpr armilla::method<double(double)> step{"demo.solver.step"}; }
///
///     armilla::provide<solver_api::step, &step>();                       // in the program that has it
///     double r = armilla::call<solver_api::step>(rank, 0.1).get();       // in any program of the job
///
/// Paper: MRPC, sections 3 and 4.
namespace armilla {

/// A name and a signature. The name is the programs' agreement: letters, one meaning in the job, at most 256 of them.
/// Parameters are values for the caller, whatever they look like; the result is one, too. All of them must be sendable,
/// and classes with private members among them need a `wire_name`. Declare it `inline constexpr`, in a namespace.
template <class Signature>
class method;

template <class R, class... P>
class method<R(P...)> {
 public:
  using signature = R(P...);

  consteval explicit method(const char* name) : name_(name) {
    std::size_t letters = 0;
    while (name[letters] != 0) ++letters;
    if (letters == 0 || letters > 256) throw "armilla: the name of a method has 1 to 256 letters";
  }
  constexpr const char* name() const noexcept { return name_; }

 private:
  const char* name_;  // private, so that a tag is no template argument by value, but by reference
};

/// Lets ranks of every program call `F` as method `M` of this rank, from now on.
///
/// `F`: a function, or a lambda without captures, that takes the parameters of the signature by value or const reference and
/// gives something its result can be made of. It runs as any body does. At any time, also inside a body. Each rank provides
/// for itself. Errors: usage_error when this rank already provides the name.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && !std::is_member_pointer_v<decltype(F)>)
void provide() {
  using calls = detail::method_calls<M>;
  static_assert(calls::template fits<F>,
                "armilla: the function cannot be called with the values of the method's signature, or its result is none of its");
  calls::template provide<F>(nullptr);
}

/// The same for a lambda without captures: `provide<solver_api::step>([](double x) { return x / 2; })`.
template <const auto& M, class F>
  requires(detail::method_tag<M> && std::is_empty_v<F> && std::is_default_constructible_v<F>)
void provide(F) {
  static_assert(!detail::is_hint<F>,
                "armilla: a method that is provided takes no hint; provide the function, and let it start a fiber where it needs "
                "one");
  if constexpr (!detail::is_hint<F>) provide<M, F{}>();
}

/// The same for a member function of `object`, which must live until it is withdrawn, or the session ends:
/// `provide<solver_api::step, &solver::step>(mine)`.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && std::is_member_function_pointer_v<decltype(F)>)
void provide(detail::owner<F>& object) {
  using calls = detail::method_calls<M>;
  static_assert(calls::template fits_member<F, detail::owner<F>>,
                "armilla: the member function cannot be called with the values of the method's signature, or its result is none "
                "of its");
  calls::template provide<F>(&object);
}

/// Ends what `provide` began: calls of the method on this rank get an error from now on. It may be provided again, as the same
/// or as another function or signature. Errors: usage_error when this rank does not provide it.
template <const auto& M>
  requires detail::method_tag<M>
void withdraw() {
  detail::head_here("withdraw").calls->methods.withdraw(detail::description_of<M>);
}

/// Question by name: runs what rank `dest` (of whichever program; this one, too) provides as `M` and gives a future of its
/// result. Arguments are converted to the parameters of the signature here, and go by value.
///
/// The first call carries name and signature and is answered in the one round trip; calls before its reply do so as well;
/// later ones carry an index. As for `call` within a program otherwise: when complete, exceptions, views.
/// Errors: if `dest` provides no such name, or with another signature, `get()` throws remote_error that says what it does
/// provide; nothing runs there. This is not remembered: it works once the method is provided.
/// Cost: that of a call within a program and 8 bytes, once the index is known.
/// Paper: MRPC, section 4.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(rank_t dest, A&&... arguments) {
  using calls = detail::method_calls<M>;
  calls::check();
  detail::sending& out = *detail::head_here("call").out;
  return calls::ask(out, dest, out.checked(dest, "call"), std::forward<A>(arguments)...);
}

/// Statement by name: as `call`, but nothing comes back. What the method throws, or that `dest` does not provide it, is thrown
/// by the next fence, on every rank. Small ones travel together; complete at the next fence, in their order.
template <const auto& M, class... A>
  requires detail::method_tag<M>
void async(rank_t dest, A&&... arguments) {
  using calls = detail::method_calls<M>;
  calls::check();
  detail::sending& out = *detail::head_here("async").out;
  calls::tell(out, dest, out.checked(dest, "async"), std::forward<A>(arguments)...);
}

// What is easily written otherwise says how it is written.
template <const auto& M>
  requires detail::method_tag<M>
auto to_completion() {
  return detail::hint_by_name<M>();
}
template <const auto& M>
  requires detail::method_tag<M>
auto as_fiber() {
  return detail::hint_by_name<M>();
}
template <const auto& M>
  requires detail::method_tag<M>
auto urgent() {
  return detail::hint_by_name<M>();
}
template <const auto& M>
  requires detail::method_tag<M>
auto safe() {
  return detail::hint_by_name<M>();
}

}  // namespace armilla
