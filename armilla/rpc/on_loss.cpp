// SPDX-License-Identifier: Apache-2.0
#include "armilla/on_loss.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/loss_handlers.hpp"
#include "armilla/rpc/loss_watch.hpp"
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

void loss_handlers::add(loss_watch& one) {
  if (!tells_watches_) all_.push_back({this, &tell_watches, [](void*) noexcept {}});
  tells_watches_ = true;
  watches_.push_back(&one);
}

// What one does may end others.
void loss_handlers::tell_watches(void* handlers, rank_t lost) {
  auto& mine = *static_cast<loss_handlers*>(handlers);
  for (loss_watch* const one : std::vector<loss_watch*>(mine.watches_))
    if (std::ranges::find(mine.watches_, one) != mine.watches_.end()) one->lose(lost);
}

namespace {

loss_handlers& loss_handlers_here(const char* operation) {
  auto& mine = here(operation).calls->losses;
  if (mine == nullptr) mine = std::make_unique<loss_handlers>();
  return *mine;
}

}  // namespace

loss_watch::loss_watch() { loss_handlers_here("make a container").add(*this); }

loss_watch::~loss_watch() {
  if (current != nullptr && current->calls != nullptr && current->calls->losses != nullptr) current->calls->losses->remove(*this);
}

void add_loss_handler(const loss_handler& handler) {
  try {
    loss_handlers_here("on_loss").add(handler);
  } catch (...) {
    handler.end(handler.f);
    throw;
  }
}

}  // namespace armilla::detail
