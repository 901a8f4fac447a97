// SPDX-License-Identifier: Apache-2.0
#include "armilla/mutex.hpp"

#include <string>

#include "armilla/error.hpp"
#include "armilla/fiber/explain_wait.hpp"

namespace armilla {

void mutex::lock_slowly(detail::context_head& self) {
  detail::scheduler& all = *self.fibers;
  if (owner_ == &all.running())
    detail::throw_usage("mutex::lock", "fiber " + std::to_string(owner_->number) +
                                           " holds this mutex already and would wait for itself; unlock it first");
  ++self.count->contended_locks;
  all.before_wait("mutex::lock");
  if (owner_ == nullptr) {
    owner_ = &all.running();
    return;
  }
  detail::waiter me;
  waiting_.wait(me, "mutex::lock", detail::wait_object::of<detail::explain_mutex>(*this));
}

void mutex::hand_over() {
  owner_ = waiting_.front()->fiber;
  waiting_.wake_one();
}

void mutex::throw_not_owner() const {
  detail::throw_usage("mutex::unlock", owner_ == nullptr ? std::string("it is not locked; lock it first")
                                                         : "fiber " + std::to_string(owner_->number) +
                                                               " holds it, and only that fiber may unlock it");
}

}  // namespace armilla
