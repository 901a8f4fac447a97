// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/rpc/on_loss_inline.hpp"

namespace armilla {

/// From now on this rank runs `f(r)` once for each rank r of the job that is lost, in a fiber of its own, soon after it has heard
/// of it: when it next waits or polls, and has taken in all that r had sent it. No call of r begins here
/// later; one of a newcomer in its place may. So `f` may wait, call and send, and what it changes needs no lock. A fence waits
/// for it, and throws what it throws as an error of a body. Several begin in the order in which they were given. It is for jobs
/// that go on (ARMILLA_ON_LOSS=continue or replace); in others what `f` has not done after ARMILLA_LOSS_GRACE is not done.
///
/// Each rank asks for itself, and not all hear of a loss at the same time: `fence` and `team::survivors` tell all alike.
/// Cost: nothing as long as no rank is lost.
template <std::invocable<rank_t> F>
void on_loss(F f) {
  detail::require_function(f, "on_loss");
  detail::add_loss_handler({new F(std::move(f)), [](void* own, rank_t lost) { (*static_cast<F*>(own))(lost); },
                            [](void* own) noexcept { delete static_cast<F*>(own); }});
}

}  // namespace armilla
