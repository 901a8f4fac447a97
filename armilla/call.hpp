// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/future.hpp"
#include "armilla/rpc/call_inline.hpp"

namespace armilla {

// The compiler shows this line first for `call<&f>` where `f` is overloaded: it names the remedy.
// clang-format off
template <detail::one_function> detail::refused_call call(rank_t, ...) = delete;  // armilla: name ONE function, call<static_cast<int (*)(int)>(&f)>(rank, ...)
// clang-format on

/// Question: runs `f(arguments...)` on rank `dest` (this one, too) and gives a future of what it returns.
///
/// `f` and the arguments as for `async`; the result goes by value and must be sendable. Sent at once, together with the
/// statements to `dest` that wait for company, unless a `batch` is open. The reply comes back as soon as the body has ended.
/// A view of elements in this rank's segment is not copied when it is long: keep them until the reply is there.
/// What the body throws arrives at `get()` as `remote_error` with the rank, its type and its text. Errors as `async`.
/// Cost: one message each way of one cache line for up to 32 bytes of arguments; no allocation.
/// Paper: STAPL, section 5 (sync_rmi, and the handle of section 6.4); MRPC, section 3.
template <class F, class... A>
  requires(!std::is_convertible_v<std::decay_t<F>, rank_t>)
[[nodiscard]] auto call(rank_t dest, F&& f, A&&... arguments) {
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<F, A...>();
  if constexpr (detail::can_call<F, A...>) {
    using P = typename detail::callable_of<F>::type;
    using R = detail::result_of<P, detail::sent_as<A>...>;
    if constexpr (!std::is_void_v<R>) require_sendable_value<R>();
    detail::sending& out = *detail::head_here("call").out;
    return detail::send_question<P, detail::sent_as<A>...>(out, detail::lane_for<P>(out, out.checked(dest, "call")),
                                                           detail::callable_of<F>::portable(f, "call"), arguments...);
  } else {
    return detail::refused_call{};
  }
}

/// The same for a function that is named at compile time: `call<&function>(dest, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call(rank_t dest, A&&... arguments) {
  return call(dest, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}

// The compiler shows this line for a function that is overloaded: it names the remedy.
// clang-format off
void call(rank_t dest, ...) = delete;  // armilla: name ONE function, static_cast<int (*)(int)>(&f), a lambda or a function object
// clang-format on

// What is easily written otherwise says how it is written.
template <detail::body_in_front F, class... A>
auto call(F&&, rank_t, A&&...) {
  static_assert(detail::dependent_false<F>, "armilla: the rank comes first, then the body: call(rank, f, arguments...)");
  return detail::refused_call{};
}

}  // namespace armilla
