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
#include "armilla/guest/guest_call_inline.hpp"
#include "armilla/method.hpp"

/// Calls of a guest: methods that ranks of a running job provide, by name.
///
///     namespace solver_api { inline constexpr armilla::method<double(double)> step{"demo.solver.step"}; }   // the job's header
///
///     armilla::guest job = armilla::attach("solver");
///     double r = armilla::call<solver_api::step>(job.on(2), 0.1).get();
///
/// Nothing of a guest's harms the job: its calls run when the rank finds no messages of other ranks, and take half of its
/// time at most, long bodies aside; a guest that stops or dies leaves nothing behind but a place, which the next guest takes.
namespace armilla {

/// The value of a guest's call, later. It moves; dropped before the call has begun, it takes the call back.
template <class R>
class guest_reply {
 public:
  guest_reply(guest_reply&&) noexcept = default;
  guest_reply& operator=(guest_reply&&) noexcept = default;

  bool ready() const { return call_.ready(); }
  /// Waits for the reply, for so long. False: it is not there yet. Errors: rank_lost if the rank has ended.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> span) const {
    return call_.wait(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(span).count()));
  }
  /// The value, once. Errors: remote_error, what the method threw, or that the rank does not provide it; rank_lost if the rank
  /// has ended; timeout_error after `patience`, which says what the rank does and whether the call has begun.
  R get(std::chrono::nanoseconds patience = std::chrono::seconds(10)) {
    const std::vector<std::byte> bytes = call_.take(std::uint64_t(patience.count()));
    if constexpr (!std::is_void_v<R>) return detail::decoder(bytes.data(), bytes.size(), call_.rank()).template get<R>();
  }

 private:
  template <const auto& M, class... A>
    requires detail::method_tag<M>
  friend auto call(const guest_rank& dest, A&&... arguments);
  explicit guest_reply(detail::guest_call call) noexcept : call_(std::move(call)) {}

  detail::guest_call call_;
};

/// Question by name to a rank of a running job: runs what the rank provides as `M`, in a fiber, and gives its result later.
/// Arguments are converted to the parameters of the signature here, and go by value. The rank takes the call in when it next
/// waits or polls, and finds nothing else to do.
///
/// Up to 16 calls of a rank are under way at once; one more waits until one has ended.
/// Errors: limit_error if the rank has 8 guests already, or for want of memory; usage_error for a rank of another host, unless
/// armilla-run --hosts has started the job; rank_lost if it has ended. Cost: one to two microseconds to a rank that looks for
/// messages; beyond some 4 KiB of arguments or result two more copies and some system calls; to another host some hundred
/// microseconds, and the first time the start of a process there.
template <const auto& M, class... A>
  requires detail::method_tag<M>
[[nodiscard]] auto call(const guest_rank& dest, A&&... arguments) {
  using caller = detail::guest_method<M>;
  return guest_reply<typename caller::result>(caller::ask(detail::line_of(dest), std::forward<A>(arguments)...));
}

}  // namespace armilla
