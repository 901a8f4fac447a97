// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/durations.hpp"

namespace armilla {

/// A steady clock of the standard library's form, which all ranks of a host share.
///
/// A time that one rank has read means the same on another rank of its host. Between hosts only durations can be compared. It
/// needs no session. Cost: about 20 ns.
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

/// Returns the seconds from `start` until now.
inline double seconds_since(clock::time_point start) noexcept {
  using seconds = std::chrono::duration<double>;  // the difference of two moments may be beyond what a clock counts
  return (seconds(clock::now().time_since_epoch()) - seconds(start.time_since_epoch())).count();
}

}  // namespace armilla
