// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/dialect/splitc_inline.hpp"
#include "armilla/rank.hpp"

/// Split-C's functions on other processors: atomic ones, and the Active Messages below them.
namespace armilla::splitc {
namespace detail {

template <class R, class... P>
struct atomic_function {
  armilla::detail::portable_function<R(P...)> f;
  R operator()(P... words) const {
    const std::lock_guard alone(*atomic_functions);
    return f(std::forward<P>(words)...);
  }
};

}  // namespace detail

/// Runs `f(words...)` on processor `proc` and waits for it; atomic functions of a processor exclude each other, also while one
/// waits. Returns what `f` returns. Errors: what `f` throws, as remote_error. Cost: a `call`.
///
///     atomic(foo, 0);   int before = atomic(fetch_and_add, 3, 1);
///
/// Paper: MRPC, section 4 (atomic RPC) and figure 2.
template <class R, class... P>
R atomic(R (*f)(P...), int proc, std::type_identity_t<P>... words) {
  const detail::atomic_function<R, P...> there{armilla::detail::callable<R (*)(P...)>::portable(f, "atomic")};
  return call(proc, there, std::forward<P>(words)...).get();
}

/// An active message: runs `handler(source, words...)` on processor `proc`, where `source` is this one. Arguments have any
/// sendable type. Complete there; a program waits by what its handlers count, or by armilla::fence. Paper: Split-C on the
/// Paragon, section 2.
template <class... P>
void request(int proc, void (*handler)(int source, P...), std::type_identity_t<P>... words) {
  async(proc, handler, int(armilla::rank()), std::forward<P>(words)...);
}
/// The same from inside of a handler, to its source.
template <class... P>
void reply(int source, void (*handler)(int source, P...), std::type_identity_t<P>... words) {
  request(source, handler, std::forward<P>(words)...);
}

}  // namespace armilla::splitc
