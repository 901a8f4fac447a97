// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/future.hpp"
#include "armilla/rpc/call_inline.hpp"

/// Two-way calls: run a function on another rank and get its result as a future.
///
/// Use them for queries. If you need no result, `async` (armilla/async.hpp) is cheaper; if all ranks need the same result, use a
/// collective (armilla/team.hpp); to ask all ranks from one, use `call_all`.
///
///     am::future<int> answer = am::call(1, [](int n) { return n + 1; }, 41);
///     // ... other work ...
///     const int n = answer.get();                           // waits; other calls run meanwhile
///
/// **Functions and arguments** are as for `async`. The result is copied, and must be sendable. A long `view` of elements in
/// memory from `allocate` is not copied: do not modify the elements until the reply has arrived.
///
/// **Completion.** A call is complete when its future is ready. The reply is sent as soon as the called function returns.
///
/// **Order.** A call is sent at once, after the one-way calls to `dest` that are buffered, unless a `batch` is open. Calls of one
/// rank to another begin in the order in which they were sent.
///
/// **Errors.** Throws `usage_error` if `dest` is not a rank. If the called function throws, `get()` throws a `remote_error` with
/// the rank, the type and the text.
///
/// **Cost.** One message each way, of one cache line for up to 32 bytes of arguments; no allocation.
namespace armilla {

// The compiler shows this line first for `call<&f>` where `f` is overloaded: it names the remedy.
// clang-format off
template <detail::one_function> detail::refused_call call(rank_t, ...) = delete;  // armilla: name ONE function, call<static_cast<int (*)(int)>(&f)>(rank, ...)
// clang-format on

/// Runs `f(arguments...)` on rank `dest`, which may be this rank, and returns a future of the result.
///
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
    return detail::send_two_way_call<P, detail::sent_as<A>...>(out, detail::lane_for<P>(out, out.checked(dest, "call")),
                                                               detail::callable_of<F>::portable(f, "call"), arguments...);
  } else {
    return detail::refused_call{};
  }
}

/// Runs the function `F`, which is named at compile time: `call<&function>(dest, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call(rank_t dest, A&&... arguments) {
  return call(dest, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}

// ---- Mistakes: these do not compile, and say what to write instead ----

// The compiler shows this line for a function that is overloaded: it names the remedy.
// clang-format off
void call(rank_t dest, ...) = delete;  // armilla: name ONE function, static_cast<int (*)(int)>(&f), a lambda or a function object
// clang-format on

// What is easily written otherwise says how it is written.
template <detail::body_in_front F, class... A>
auto call(F&&, rank_t, A&&...) {
  static_assert(detail::dependent_false<F>, "armilla: the rank comes first, then the function: call(rank, f, arguments...)");
  return detail::refused_call{};
}

}  // namespace armilla
