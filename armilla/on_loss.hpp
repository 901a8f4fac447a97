// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/rpc/on_loss_inline.hpp"

namespace armilla {

/// Makes this rank run `f(r)` once for each rank r of the job that is lost from now on.
///
/// Use it to release what a lost rank held, or to redo its work, in jobs that continue (ARMILLA_ON_LOSS=continue or replace).
///
/// `f` runs in a fiber of its own, soon after this rank has noticed the loss: when it next waits or polls, and has received all
/// that r had sent to it. No call of r begins here later; one of its replacement may. So `f` may wait, call and send, and what it
/// changes needs no lock. A fence waits for it, and throws what it throws, as that of a called function. Several functions begin
/// in the order in which they were given. In jobs that do not continue, what `f` has not done after ARMILLA_LOSS_GRACE is not
/// done.
///
/// Each rank calls it for itself, and not all notice a loss at the same time: `fence` and `team::survivors` notify all alike.
///
/// **Cost.** None while no rank is lost.
template <std::invocable<rank_t> F>
void on_loss(F f) {
  detail::require_function(f, "on_loss");
  detail::add_loss_handler({new F(std::move(f)), [](void* own, rank_t lost) { (*static_cast<F*>(own))(lost); },
                            [](void* own) noexcept { delete static_cast<F*>(own); }});
}

}  // namespace armilla
