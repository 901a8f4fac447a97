// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/on_lost.hpp"

#include <memory>
#include <utility>

#include "armilla/base/check.hpp"
#include "armilla/fiber/spawn.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/loss_handlers.hpp"

namespace armilla::detail {

loss_handlers::~loss_handlers() {
  for (const loss_handler& one : all_) one.end(one.f);
}

void loss_handlers::run(context& self, rank_t lost) const {
  scheduler& fibers = *self.fibers;
  for (const loss_handler& one : all_) {
    fiber_record& record = make_fiber<void>(fibers, one.run, one.f, lost);
    if (!std::exchange(record.counted, true)) fibers.count_one();
    record.detached = true;
    fibers.start(record);
  }
}

void add_loss_handler(const loss_handler& handler) {
  try {
    auto& mine = here("on_lost").calls->losses;
    if (mine == nullptr) mine = std::make_unique<loss_handlers>();
    mine->add(handler);
  } catch (...) {
    handler.end(handler.f);
    throw;
  }
}

}  // namespace armilla::detail
