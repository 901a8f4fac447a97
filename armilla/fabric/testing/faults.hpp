// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "armilla/base/core/fault_settings.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/network.hpp"

/// Networks that misbehave, for tests: a network around another one. Everything is done where frames arrive, so that nothing
/// waits at a rank that no longer looks.
namespace armilla::detail {

/// What time it is, in nanoseconds: `now_ns`, or a clock that a test sets by hand.
using time_source = std::uint64_t (*)() noexcept;

/// `net`, worse. What happens to a frame follows from the seed, both ranks and its place between them; when it happens
/// follows from `clock`. Frames must begin as `network_head` does, if `net` does not know their source.
std::unique_ptr<network> make_faulty(std::unique_ptr<network> net, const fault_settings& how, rank_t me, rank_t ranks,
                                     time_source clock = now_ns);

/// `net` with these faults; and, if frames are lost, `reliable` above it. Itself if there are none.
std::unique_ptr<network> with_faults(std::unique_ptr<network> net, const fault_settings& how, rank_t me, rank_t ranks);

}  // namespace armilla::detail
