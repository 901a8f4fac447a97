// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

/// Waits of fibers for conditions that no event announces: the loop asks them.
class asked_waits {
 public:
  /// One of them. It lies in the frame of the wait, and takes itself out.
  struct wait {
    asked_waits& all;
    bool (*done)(void*);
    void* argument;
    fiber_record* who = nullptr;  ///< null: it is not listed
    wait* next = nullptr;
    ~wait() {
      if (who != nullptr) all.forget(*this);
    }
  };

  bool empty() const noexcept { return first_ == nullptr; }
  void list(wait& w, fiber_record& who) noexcept {
    if (std::exchange(w.who, &who) == nullptr) w.next = std::exchange(first_, &w);
  }
  /// Makes the fibers ready whose condition holds; whether there are any.
  bool wake_ended(scheduler& fibers);

 private:
  void forget(wait& w) noexcept;

  wait* first_ = nullptr;
};

}  // namespace armilla::detail
