// SPDX-License-Identifier: Apache-2.0
#include "armilla/on_loss.hpp"

#include <memory>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/loss_handlers.hpp"
#include "armilla/spawn.hpp"

namespace armilla::detail {

loss_handlers::~loss_handlers() {
  for (const loss_handler& one : all_) one.end(one.f);
}

void loss_handlers::add_fibers(context& self, rank_t lost) {
  scheduler& fibers = *self.fibers;
  for (const loss_handler& one : all_) {
    fiber_record& record = make_fiber<void>(fibers, one.run, one.f, lost);
    if (!std::exchange(record.counted, true)) fibers.count_one();
    record.detached = true;
    waiting_.push_back({lost, &record});
  }
}

void loss_handlers::start_fibers(context& self) {
  const auto is_over = [&](const waiting& w) {
    return self.host->far[std::size_t(w.lost)] || self.messages->in.has_read_all_of(w.lost);
  };
  std::erase_if(waiting_, [&](const waiting& w) {
    const bool starts = is_over(w);
    if (starts) self.fibers->start(*w.fiber);
    return starts;
  });
  if (!waiting_.empty()) self.messages->lost.hear_again();
}

void add_loss_handler(const loss_handler& handler) {
  try {
    auto& mine = here("on_loss").calls->losses;
    if (mine == nullptr) mine = std::make_unique<loss_handlers>();
    mine->add(handler);
  } catch (...) {
    handler.end(handler.f);
    throw;
  }
}

}  // namespace armilla::detail
