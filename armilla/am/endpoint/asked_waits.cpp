// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/asked_waits.hpp"

namespace armilla::detail {

bool asked_waits::wake_ended(scheduler& fibers) {
  bool any = false;
  for (wait* w = first_; w != nullptr; w = w->next)
    if (w->done(w->argument)) {
      fibers.wake(*w->who);
      any = true;
    }
  return any;
}

void asked_waits::forget(wait& w) noexcept {
  wait** link = &first_;
  while (*link != &w) link = &(*link)->next;
  *link = w.next;
}

}  // namespace armilla::detail
