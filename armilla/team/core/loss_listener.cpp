// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/loss_listener.hpp"

#include <utility>

#include "armilla/base/core/context.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {

void loss_listener::listen() noexcept {
  if (current->host->job().replaces == 0) return;
  team_state& s = *current->teams;
  next_ = s.loss_listeners;
  before_ = &s.loss_listeners;
  if (next_ != nullptr) next_->before_ = &next_;
  s.loss_listeners = this;
}

void loss_listener::stand_for(loss_listener& other) noexcept {
  next_ = std::exchange(other.next_, nullptr);
  before_ = std::exchange(other.before_, nullptr);
  if (before_ != nullptr) *before_ = this;
  if (next_ != nullptr) next_->before_ = &next_;
}

void loss_listener::unlink() noexcept {
  if (before_ == nullptr) return;
  *before_ = next_;
  if (next_ != nullptr) next_->before_ = before_;
  next_ = nullptr, before_ = nullptr;
}

void loss_listener::tell_all(const team_state& s, rank_t lost) noexcept {
  for (loss_listener* l = s.loss_listeners; l != nullptr; l = l->next_) l->hear_of(lost);
}

void loss_listener::let_all_go(team_state& s) noexcept {
  while (s.loss_listeners != nullptr) s.loss_listeners->unlink();
}

}  // namespace armilla::detail
