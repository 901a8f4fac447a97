// SPDX-License-Identifier: Apache-2.0
#include "armilla/event.hpp"

#include "armilla/global/remote_memory.hpp"

namespace armilla {
namespace detail {

bool event_access::hand_over(event& e, remote_wait& node) {
  pass_on(memory_here("when_complete"), e.wait_, &node);
  return node.left != 0;
}

void throw_failure(const remote_failure& f) {
  if (f.status != remote_status::ok) throw_far(f.operation, f.status, f.at);
}

}  // namespace detail

void event::wait_slowly() {
  detail::memory_here("event::wait")
      .messages.waits.wait_until([this] { return wait_.left == 0; }, "event::wait", detail::wait_object(this));
  detail::throw_failure(std::exchange(wait_.failure, {}));
}

// Where the session has ended, nothing is under way any more.
void event::leave_to_sync() noexcept {
  if (detail::current == nullptr || detail::current->memory == nullptr) return;
  detail::pass_on(detail::memory_of(*detail::current), wait_, nullptr);
}

}  // namespace armilla
