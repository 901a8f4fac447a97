// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/fiber/overflow.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

void start_fibers(context& self, const launch&) {
  self.fibers = new scheduler(self, self.settings->stack, std::size_t(self.settings->stacks_kept));
  watch_for_overflow();
}

void stop_fibers(context& self) { delete std::exchange(self.fibers, nullptr); }

}  // namespace armilla::detail
