// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/attach.hpp"
#include "armilla/client/client_call_inline.hpp"
#include "armilla/method.hpp"

/// Calls of an attached client: methods that ranks of a running job provide, by name (armilla/method.hpp).
///
/// The job's header declares the method:
///
///     namespace solver_api {
///     inline constexpr armilla::method<double(double)> step{"demo.solver.step"};
///     }
///
/// The client calls it:
///
///     armilla::client job = armilla::attach("solver");
///     double r = armilla::call<solver_api::step>(job.on(2), 0.1).get();
///
/// A client cannot harm the job: its calls run when the rank finds no messages of other ranks, and take half of its time at most,
/// apart from long functions. A client that stops or dies leaves nothing but a slot, which the next client takes.
namespace armilla {

/// The result of an attached client's call, which may not be there yet. It moves. If it is destroyed before the call has begun,
/// the call is canceled.
template <class R>
class client_reply {
 public:
  client_reply(client_reply&&) noexcept = default;
  client_reply& operator=(client_reply&&) noexcept = default;

  /// Returns whether the reply has arrived.
  bool ready() const { return call_.ready(); }
  /// Waits for the reply for at most `span`, and returns whether it has arrived. Throws `rank_lost` if the rank has ended.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> span) const {
    return call_.wait(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(span).count()));
  }
  /// Waits for the result, and returns it once.
  ///
  /// Throws `remote_error` for what the method threw, or if the rank does not provide it. Throws `rank_lost` if the rank has
  /// ended. Throws `timeout_error` after `patience`, which says what the rank does and whether the call has begun.
  R get(std::chrono::nanoseconds patience = std::chrono::seconds(10)) {
    const std::vector<std::byte> bytes = call_.take(std::uint64_t(patience.count()));
    if constexpr (!std::is_void_v<R>) return detail::decoder(bytes.data(), bytes.size(), call_.rank()).template get<R>();
  }

 private:
  template <const auto& M, class... A>
    requires detail::method_tag<M>
  friend auto call(const client_rank& dest, A&&... arguments);
  explicit client_reply(detail::client_call call) noexcept : call_(std::move(call)) {}

  detail::client_call call_;
};

/// Runs what a rank of a running job provides as `M`, in a fiber, and returns its result later.
///
/// The client converts the arguments to the parameters of the signature. The rank receives the call when it next waits or polls,
/// and finds nothing else to do. Up to 16 calls of a rank are in flight at a time; one more waits until one has ended.
///
/// Throws `limit_error` if the rank has 8 clients already, or if memory is short. Throws `usage_error` for a rank of another
/// host, unless armilla-run --hosts has started the job. Throws `rank_lost` if the rank has ended.
///
/// Cost: one to two microseconds for a rank that polls. Beyond about 4 KiB of arguments or result, two more copies and some
/// system calls. To another host some hundred microseconds, and the first time the start of a process there.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(const client_rank& dest, A&&... arguments) {
  using caller = detail::client_method<M>;
  return client_reply<typename caller::result>(caller::ask(detail::line_of(dest), std::forward<A>(arguments)...));
}

}  // namespace armilla
