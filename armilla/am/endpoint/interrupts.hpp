// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "armilla/am/endpoint/progress.hpp"

namespace armilla::detail {

/// How a rank that computes is interrupted when something comes: ARMILLA_PROGRESS_MODE=signal.
class interrupts {
 public:
  interrupts(outbox& out, inbox& in, event_count& sleeper, progress& waits) noexcept
      : out_(out), in_(in), sleeper_(sleeper), waits_(waits) {}

  /// From here on, until `end`, the rank computes and is interrupted when something comes.
  void begin();
  void end() noexcept;
  /// In a rank that fails: from here on no signal interrupts it.
  void abandon() noexcept;
  void interrupted() noexcept;  ///< in the signal's handler

 private:
  outbox& out_;
  inbox& in_;
  event_count& sleeper_;
  progress& waits_;
  std::atomic<std::uint32_t> scopes_ = 0;  // shared with the signal's handler
};

}  // namespace armilla::detail
