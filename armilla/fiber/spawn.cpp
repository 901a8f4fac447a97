// SPDX-License-Identifier: Apache-2.0
#include "armilla/spawn.hpp"

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {

void throw_no_fiber(const char* operation) {
  throw_usage(
      operation,
      "there is no fiber: it was default constructed, moved from, joined or detached before; join each fiber once, by the "
      "value that spawn returned or that this was moved to");
}

void sleep_until(std::uint64_t until) {
  scheduler& all = scheduler_here("sleep_for");
  all.before_wait("sleep_for");
  while (now_ns() < until) {
    all.set_timer(all.running(), until);
    struct forgetter {
      scheduler& all;
      ~forgetter() { all.forget_timer(all.running()); }
    } at_end{all};
    all.suspend("sleep_for");
  }
}

}  // namespace armilla::detail
