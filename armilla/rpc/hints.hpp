// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/fiber/scheduler.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/rpc/kept_argument.hpp"

/// What a call may say about its body, wrapped around the function:
///
///     am::call(1, am::to_completion([](int n) { return n + 1; }), 41);   // it never waits: no stack is kept ready for it
///     am::call(1, am::as_fiber(&search), root);                         // a fiber from the start: others go first
///     am::async(1, am::urgent([] { stop(); }));                         // leaves at once, without company
///     am::call(h.on(1), am::as_fiber<&part::meet>());                   // a method: of a part, or of a processor object
///
/// A hint stands where the body stands, in `async`, `call`, `async_all`, `call_all` and `call_into`. A method by name takes none:
/// its caller does not know the body.
///
/// Without a hint a body runs at once on the stack of the rank's loop and becomes a fiber only if it waits, which is what most
/// calls want. Paper: MRPC, section 5 (0-Word Simple, Threaded, Atomic: how the body runs is independent of how the caller
/// waits).
namespace armilla {
namespace detail {

/// Runs on whatever stack takes the message in, also that of a fiber that waits in place. One that waits gets a usage_error.
template <class F>
struct completed_body : F {
  static constexpr bool may_wait = false;
};

/// While a body runs that counts as a fiber whether it has waited or not: it may enter collectives.
class as_if_fiber {
 public:
  as_if_fiber() noexcept : me_(current->fibers->running()), before_(std::exchange(me_.fiber_depth, current->body_depth)) {}
  ~as_if_fiber() { me_.fiber_depth = before_; }
  as_if_fiber(const as_if_fiber&) = delete;

 private:
  fiber_record& me_;
  std::uint32_t before_;
};

/// A fiber before it begins.
template <class F>
struct fiber_body : F {
  template <class... A>
    requires std::is_invocable_v<F&, A...>
  decltype(auto) operator()(A&&... arguments) {
    current->fibers->yield_to_loop("a body as a fiber");
    const as_if_fiber scope;
    return static_cast<F&>(*this)(std::forward<A>(arguments)...);
  }
};

/// A function instance: it begins at once, and has a stack of its own from its first wait on.
template <class F>
struct instance_body : F {
  template <class... A>
    requires std::is_invocable_v<F&, A...>
  decltype(auto) operator()(A&&... arguments) {
    const as_if_fiber scope;
    return static_cast<F&>(*this)(std::forward<A>(arguments)...);
  }
};

/// May run beside the rank, on its progress thread, while it computes.
template <class F>
struct safe_body : F {
  static constexpr bool may_wait = false;
  static constexpr bool is_safe = true;
};
template <class F>
inline constexpr bool is_safe = requires { F::is_safe; };

template <class F>
struct urgent_body : F {
  static constexpr bool is_urgent = true;
};

template <class F>
inline constexpr bool is_urgent = requires { F::is_urgent; };

template <template <class> class Hint, class F>
auto hinted(const F& f, const char* operation) {
  using P = typename callable_of<F>::type;
  return Hint<P>{callable_of<F>::portable(f, operation)};
}

/// A hint about the member `M` of an object that the call names.
template <template <class> class Hint, auto M>
struct hinted_member {};

template <template <class> class Hint, auto F>
auto hinted() {
  if constexpr (std::is_member_pointer_v<decltype(F)>)
    return hinted_member<Hint, F>{};
  else
    return Hint<constant_function<F>>{};
}

template <class F>
inline constexpr bool is_hint = false;
template <class F>
inline constexpr bool is_hint<completed_body<F>> = true;
template <class F>
inline constexpr bool is_hint<fiber_body<F>> = true;
template <class F>
inline constexpr bool is_hint<safe_body<F>> = true;
template <class F>
inline constexpr bool is_hint<urgent_body<F>> = true;

/// In place of a hint that is refused: it can be called, so that the compiler says no more than the refusal.
struct refused_hint {
  template <class... A>
  void operator()(const A&...) const {}
};

template <class F>
struct body_parameters<completed_body<F>> : body_parameters<F> {};
template <class F>
struct body_parameters<fiber_body<F>> : body_parameters<F> {};
template <class F>
struct body_parameters<instance_body<F>> : body_parameters<F> {};
template <class F>
struct body_parameters<safe_body<F>> : body_parameters<F> {};
template <class F>
struct body_parameters<urgent_body<F>> : body_parameters<F> {};

}  // namespace detail

/// The body never waits. Saves the caller's rank the switch to its loop when it waits in place; a wait in it is a usage_error.
template <class F>
auto to_completion(const F& f) {
  return detail::hinted<detail::completed_body>(f, "to_completion");
}
/// The body is a fiber from its beginning: what came behind it, and fibers that can go on, have their turn first. Cost: two
/// switches and a stack from the pool. It may enter collectives of teams in which no other fiber of its rank is inside one.
template <class F>
auto as_fiber(const F& f) {
  return detail::hinted<detail::fiber_body>(f, "as_fiber");
}
/// The statement leaves at once, with those to the same rank that were waiting for company. Questions do so anyway.
template <class F>
auto urgent(const F& f) {
  return detail::hinted<detail::urgent_body>(f, "urgent");
}
/// The body may run beside the rank, under ARMILLA_PROGRESS_MODE=thread even while the rank computes: it touches nothing but
/// atomics and what the rank leaves alone meanwhile, does not wait, and sends nothing but its reply. Bodies marked so are atomic
/// with respect to each other, not to the rank; they keep their order among themselves. Under `poll` and `signal`: as
/// to_completion.
template <class F>
auto safe(const F& f) {
  return detail::hinted<detail::safe_body>(f, "safe");
}
/// The same for a function that is named at compile time, `as_fiber<&f>()`, and for a member of the object that the call goes to,
/// `as_fiber<&T::method>()`. A member cannot be `safe`: the rank may be changing the table in which its object is found.
template <auto F>
auto to_completion() {
  return detail::hinted<detail::completed_body, F>();
}
template <auto F>
auto as_fiber() {
  return detail::hinted<detail::fiber_body, F>();
}
template <auto F>
auto urgent() {
  return detail::hinted<detail::urgent_body, F>();
}
template <auto F>
auto safe() {
  static_assert(!std::is_member_pointer_v<decltype(F)>,
                "armilla: a member cannot be safe, as the rank may be changing the table in which its object is found; make it a "
                "function that reaches atomics of its own, safe<&f>()");
  return detail::hinted<detail::safe_body, F>();
}

}  // namespace armilla
