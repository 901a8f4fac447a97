// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/wait_list.hpp"

#include <coroutine>
#include <new>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

struct leaver {
  wait_list& list;
  waiter& w;
  ~leaver() {
    if (!w.woken) list.remove(w);
  }
};

void go_on(fiber_record& me) {
  const auto frame = *std::launder(reinterpret_cast<void**>(me.storage));
  std::coroutine_handle<>::from_address(frame).resume();
}

}  // namespace

void resume_coroutine(void* coroutine, bool counted) {
  scheduler& all = *current->fibers;
  fiber_record& f = all.make(&go_on);
  ::new (static_cast<void*>(f.storage)) void*(coroutine);
  f.detached = true;
  if (counted) {
    f.counted = true;
    all.count_one();
  }
  all.start(f);
}

void wait_list::remove(waiter& w) noexcept {
  waiter* before = nullptr;
  for (waiter* each = first_; each != nullptr; before = each, each = each->next) {
    if (each != &w) continue;
    (before == nullptr ? first_ : before->next) = w.next;
    if (last_ == &w) last_ = before;
    return;
  }
}

void wait_list::wait(waiter& w, const char* what, wait_object on) {
  scheduler& all = *current->fibers;
  w.fiber = &all.running();
  push(w);
  const leaver at_end{*this, w};
  for (;;) {
    all.suspend(what, on);
    if (w.woken) return;
    all.rethrow_in_main();
  }
}

bool wait_list::wait_until(waiter& w, std::uint64_t deadline_ns, const char* what, wait_object on) {
  scheduler& all = *current->fibers;
  w.fiber = &all.running();
  push(w);
  const leaver at_end{*this, w};
  while (!w.woken && now_ns() < deadline_ns) {
    struct timer {
      scheduler& all;
      fiber_record& who;
      ~timer() { all.forget_timer(who); }
    } until{all, *w.fiber};
    all.set_timer(*w.fiber, deadline_ns);
    all.suspend(what, on);
    if (!w.woken) all.rethrow_in_main();
  }
  return w.woken;
}

void destroyed_in_use(const char* object) noexcept {
  fatal(object, "it goes while fibers wait at it or hold it; keep it until they have ended");
}

}  // namespace armilla::detail
