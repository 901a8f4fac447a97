// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>

#include "armilla/base/values/clock.hpp"

/// Where a rank's time goes, measured at the borders of the components.
///
/// A rank is in one component at any moment, and each border reads the processor's counter: the time since the border
/// before belongs to the component that ends there. So every component is measured, none is what is left of another, and
/// their sum can be held against a wall clock that knows nothing of them.
///
/// Paper: MRPC, section 6 (the components of figures 4 and 5).
namespace armilla::detail {

enum class component : std::uint8_t {
  cpu,          ///< the program's own code, bodies included
  net,          ///< publishing and waiting, whatever is waited for
  thread_mgmt,  ///< creating, scheduling and switching threads
  thread_sync,  ///< locks and signals, without the waiting
  runtime,      ///< stubs: marshalling, dispatch, replies
};
inline constexpr unsigned components = 5;

class stopwatch {
 public:
  stopwatch() noexcept : since_(ticks()) {}

  /// A border: from now on time belongs to `next`. Returns what it belonged to before.
  component change(component next) noexcept {
    const std::uint64_t now = ticks();
    spent_[unsigned(now_in_)] += now - since_;
    since_ = now;
    ++borders_;
    return std::exchange(now_in_, next);
  }

  /// Forgets what was measured; the component stays.
  void restart() noexcept {
    for (std::uint64_t& t : spent_) t = 0;
    borders_ = 0;
    since_ = ticks();
  }

  /// Ticks spent in `c` up to the last border.
  std::uint64_t spent(component c) const noexcept { return spent_[unsigned(c)]; }
  std::uint64_t borders() const noexcept { return borders_; }
  component now_in() const noexcept { return now_in_; }

 private:
  std::uint64_t since_;
  std::uint64_t borders_ = 0;
  component now_in_ = component::cpu;
  std::uint64_t spent_[components] = {};
};

/// The scope of a component. `watch` is null unless times were asked for: then a scope is one predictable test at each end.
class timed {
 public:
  timed(stopwatch* watch, component c) noexcept : watch_(watch) {
    if (watch != nullptr) [[unlikely]]
      before_ = watch->change(c);
  }
  ~timed() {
    if (watch_ != nullptr) [[unlikely]]
      watch_->change(before_);
  }
  timed(const timed&) = delete;
  timed& operator=(const timed&) = delete;

 private:
  stopwatch* watch_;
  component before_{};
};

/// What a border costs here, in seconds: the least mean of a few batches.
double seconds_per_border() noexcept;

}  // namespace armilla::detail
