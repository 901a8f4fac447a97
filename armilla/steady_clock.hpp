// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/durations.hpp"

namespace armilla {

/// A clock in the sense of the standard that never goes back. All ranks of a host read the same one, so a moment that one of them
/// has read means the same on another; between hosts only spans of time can be compared. Needs no session. Cost: some 20 ns.
///
///     const auto start = am::clock::now();
///     work();
///     am::print_on(0, "{:.3f} s\n", am::seconds_since(start));
struct clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time_point(duration(rep(detail::now_ns()))); }
};

/// Seconds from `start` until now.
inline double seconds_since(clock::time_point start) noexcept {
  using seconds = std::chrono::duration<double>;  // the difference of two moments may be beyond what a clock counts
  return (seconds(clock::now().time_since_epoch()) - seconds(start.time_since_epoch())).count();
}

}  // namespace armilla
