// SPDX-License-Identifier: Apache-2.0
#include "armilla/shared_mutex.hpp"

#include "armilla/error.hpp"
#include "armilla/fiber/explain_wait.hpp"

namespace armilla {
namespace {

enum : std::uint32_t { to_read, to_write };

}  // namespace

void shared_mutex::lock_slowly(detail::context_head& self) {
  detail::scheduler& all = *self.fibers;
  if (writer_ == &all.running())
    detail::throw_usage("shared_mutex::lock", "the calling fiber holds it already and would wait for itself; unlock it first");
  ++self.count->contended_locks;
  all.before_wait("shared_mutex::lock");
  if (writer_ == nullptr && readers_ == 0) {
    writer_ = &all.running();
    return;
  }
  detail::waiter me;
  me.wants = to_write;
  try {
    waiting_.wait(me, "shared_mutex::lock", detail::wait_object::of<detail::explain_shared_mutex>(*this));
  } catch (...) {
    if (writer_ == nullptr && !waiting_.empty()) hand_over();  // readers may have stood behind this writer only
    throw;
  }
}

void shared_mutex::lock_shared_slowly(detail::context_head& self) {
  detail::scheduler& all = *self.fibers;
  if (writer_ == &all.running())
    detail::throw_usage("shared_mutex::lock_shared",
                        "the calling fiber holds it as writer and would wait for itself; unlock it first");
  ++self.count->contended_locks;
  all.before_wait("shared_mutex::lock_shared");
  if (writer_ == nullptr && waiting_.empty()) {
    ++readers_;
    return;
  }
  detail::waiter me;
  me.wants = to_read;
  waiting_.wait(me, "shared_mutex::lock_shared", detail::wait_object::of<detail::explain_shared_mutex>(*this));
}

// No fiber writes: the first writer if none reads either, or all readers up to the next writer.
void shared_mutex::hand_over() {
  if (readers_ == 0 && waiting_.front()->wants == to_write) {
    writer_ = waiting_.front()->fiber;
    waiting_.wake_one();
    return;
  }
  while (!waiting_.empty() && waiting_.front()->wants == to_read) {
    ++readers_;
    waiting_.wake_one();
  }
}

void shared_mutex::throw_not_locked(const char* operation) {
  detail::throw_usage(operation, "the calling fiber has not locked it; each lock has one unlock, by the same fiber");
}

}  // namespace armilla
