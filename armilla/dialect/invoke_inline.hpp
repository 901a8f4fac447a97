// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/dialect/sync.hpp"
#include "armilla/error.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/spawn.hpp"

// What the templates of invoke.hpp are made of.
namespace armilla::mpcpp {
namespace detail {

/// The member `M` of an object that a global pointer names, as something to call on its rank.
template <auto M, class T>
struct member_at {
  template <class... A>
  auto operator()(global_ptr<T> at, A&&... arguments) const -> std::decay_t<std::invoke_result_t<decltype(M), T&, A...>> {
    T* const object = at.is_local() ? at.local() : nullptr;
    if (object == nullptr) [[unlikely]]
      armilla::detail::throw_usage("invoke",
                                   "the GlobalPtr does not point to an object of this rank; make it there, by to_global");
    return (object->*M)(std::forward<A>(arguments)...);
  }
};

/// `f` as a thread: it may do what a thread of the rank's own code may, but for a fence. What may run beside the rank stays so.
template <class F>
auto instance(const F& f, const char* operation) {
  using P = typename armilla::detail::callable_of<F>::type;
  if constexpr (armilla::detail::is_safe<P> || std::is_final_v<P>)
    return f;
  else
    return armilla::detail::hinted<armilla::detail::instance_body>(f, operation);
}

// Waits for the reply in a thread of the caller, and writes it where it is asked for.
template <class R, class V>
void write_later(Sync<R>& result, future<V> answer) {
  spawn(
      [&result](future<V> there) {
        try {
          result.write(there.get());
        } catch (const armilla::detail::passing&) { throw; } catch (...) {
          result.fail(std::current_exception());
        }
      },
      std::move(answer));
}

}  // namespace detail
}  // namespace armilla::mpcpp
