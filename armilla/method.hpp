// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/rpc/method_inline.hpp"
#include "armilla/wire/signature.hpp"

/// Methods: functions that ranks of any program of a job call by name. The programs share a line of a header, and no code.
///
/// Use them between different programs of one job, for loaded libraries and for attached clients. Inside one program, `call` and
/// `async` with a function need no name.
///
/// A header that both programs include declares the name and the signature:
///
///     namespace solver_api {
///     inline constexpr armilla::method<double(double)> step{"demo.solver.step"};
///     }
///
/// Then one program provides the function, and any program of the job calls it:
///
///     armilla::provide<solver_api::step, &step>();
///     double r = armilla::call<solver_api::step>(rank, 0.1).get();
///
/// **Cost.** The first call of a method on a rank carries name and signature, and so do calls before its reply. Later calls carry
/// an index: they cost as much as a call inside a program, and 8 bytes.
///
/// Paper: MRPC, sections 3 and 4.
namespace armilla {

/// A name and a signature, by which programs agree. Declare it `inline constexpr`, in a namespace.
///
/// The name has 1 to 256 letters, and one meaning in the job. Parameters and result are sent by value, also references,
/// and must be sendable. Classes with private members among them need a `wire_name`.
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
  /// Returns the name.
  constexpr const char* name() const noexcept { return name_; }

 private:
  const char* name_;  // private, so that a tag is no template argument by value, but by reference
};

/// Makes `F` the method `M` of this rank, which ranks of every program may call from now on.
///
/// `F` is a function, or a lambda without captures, that takes the parameters of the signature by value or const reference and
/// returns something from which its result can be made. It runs as any called function. You may provide at any time, also inside
/// a called function; each rank provides for itself. Throws `usage_error` if this rank already provides the name.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && !std::is_member_pointer_v<decltype(F)>)
void provide() {
  using calls = detail::method_calls<M>;
  static_assert(calls::template fits<F>,
                "armilla: the function cannot be called with the values of the method's signature, or its result is none of its");
  calls::template provide<F>(nullptr);
}

/// Provides a lambda without captures: `provide<solver_api::step>([](double x) { return x / 2; })`.
template <const auto& M, class F>
  requires(detail::method_tag<M> && std::is_empty_v<F> && std::is_default_constructible_v<F>)
void provide(F) {
  static_assert(!detail::is_hint<F>,
                "armilla: a method that is provided takes no hint; provide the function, and let it start a fiber where it needs "
                "one");
  if constexpr (!detail::is_hint<F>) provide<M, F{}>();
}

/// Provides a member function of `object`, which must live until it is withdrawn, or the session ends: `provide<solver_api::step,
/// &solver::step>(mine)`.
template <const auto& M, auto F>
  requires(detail::method_tag<M> && std::is_member_function_pointer_v<decltype(F)>)
void provide(detail::owner<F>& object) {
  using calls = detail::method_calls<M>;
  static_assert(calls::template fits_member<F, detail::owner<F>>,
                "armilla: the member function cannot be called with the values of the method's signature, or its result is none "
                "of its");
  calls::template provide<F>(&object);
}

/// Ends what `provide` began: later calls of the method on this rank fail. Throws `usage_error` if this rank does not provide it.
///
/// It may be provided again, with the same or another function or signature.
template <const auto& M>
  requires detail::method_tag<M>
void withdraw() {
  detail::head_here("withdraw").calls->methods.withdraw(detail::description_of<M>);
}

/// Runs what rank `dest`, of any program, provides as `M`, and returns a future of the result: `call<solver_api::step>(dest,
/// 0.1)`.
///
/// The calling rank converts the arguments to the parameters of the signature. Completion, order and views are as for `call`
/// inside a program. If `dest` does not provide the name, or provides it with another signature, nothing runs there, and `get()`
/// throws `remote_error` that says what it does provide. That is not remembered: the call works once the method is provided.
///
/// Paper: MRPC, section 4.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(rank_t dest, A&&... arguments) {
  using calls = detail::method_calls<M>;
  calls::check();
  detail::sending& out = *detail::head_here("call").out;
  return calls::ask(out, dest, out.checked(dest, "call"), std::forward<A>(arguments)...);
}

/// Runs what rank `dest` provides as `M`. One-way: `async<solver_api::step>(dest, 0.1)`.
///
/// Small calls are sent together, in their order; complete at the next fence. The fence throws, on every rank, what the method
/// throws, or that `dest` does not provide it.
template <const auto& M, class... A>
  requires detail::method_tag<M>
void async(rank_t dest, A&&... arguments) {
  using calls = detail::method_calls<M>;
  calls::check();
  detail::sending& out = *detail::head_here("async").out;
  calls::tell(out, dest, out.checked(dest, "async"), std::forward<A>(arguments)...);
}

// ---- Mistakes: these do not compile, and say what to write instead ----

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
