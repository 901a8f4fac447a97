// SPDX-License-Identifier: Apache-2.0
#include "armilla/sync_var.hpp"

#include "armilla/error.hpp"
#include "armilla/fiber/explain_wait.hpp"

namespace armilla::detail {

void sync_state::await_slowly() const {
  scheduler_here("sync_var::read").before_wait("sync_var::read");
  if (written_) return;
  waiter me;
  waiting_.wait(me, "sync_var::read", wait_object::of<explain_sync_var>(*this));
}

void sync_state::throw_written() {
  throw_usage("sync_var::write", "it has been written before, and a sync_var is written once; use a new one for each value");
}

}  // namespace armilla::detail
