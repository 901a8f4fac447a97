// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/fiber/scheduler.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/rpc/kept_argument.hpp"

// What the templates of hints.hpp are made of.
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
  as_if_fiber() noexcept
      : me_(current_head->fibers->running()), before_(std::exchange(me_.fiber_depth, current_head->body_depth)) {}
  ~as_if_fiber() { me_.fiber_depth = before_; }
  as_if_fiber(const as_if_fiber&) = delete;

 private:
  fiber_record& me_;
  std::uint32_t before_;
};

/// A fiber before it begins. A body that runs in an object holds it from the start: its reference may go before it begins.
template <class F>
struct fiber_body : F {
  template <class... A>
    requires std::is_invocable_v<F&, A...>
  decltype(auto) operator()(A&&... arguments) {
    if constexpr (requires { this->hold(); }) {
      auto held = this->hold();
      current_head->fibers->yield_to_loop("a body as a fiber");
      const as_if_fiber scope;
      return this->run_in(held, std::forward<A>(arguments)...);
    } else {
      current_head->fibers->yield_to_loop("a body as a fiber");
      const as_if_fiber scope;
      return static_cast<F&>(*this)(std::forward<A>(arguments)...);
    }
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
}  // namespace armilla
