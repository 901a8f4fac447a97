// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/team/core/fence_participant.hpp"

/// How a vector grows.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_cannot_grow(const void* inside, bool dealt_in_turn);

/// What was appended on this rank since the last fence.
template <class T>
class staged_elements final : public fence_participant {
 public:
  staged_elements(const team& t, element_state<T>& state) : fence_participant(t), state_(&state) {}
  bool look() override {
    counted_ = more_.size();
    return counted_ != 0;
  }
  /// Only what was counted: a member past the fence may have staged more. Also called for elements dealt in turn: another
  /// participant may have the same bit, or some were staged before they were dealt so. Those stay staged, and all throw.
  void agree() override {
    if (!state_->members) return more_.clear();  // its elements have moved into an array, which does not grow
    if (!state_->where.linear()) {
      if (members().all_reduce(counted_, std::plus<>{}) != 0) throw_cannot_grow(state_, true);
      return;
    }
    if constexpr (lies_in_segments<T>)
      state_->grow(more_.data(), counted_, sizeof(T), alignof(T));
    else
      state_->grow(more_, counted_);
    more_.erase(more_.begin(), more_.begin() + std::ptrdiff_t(counted_));
    counted_ = 0;
    note_share(state_);
  }
  void belongs_to(element_state<T>& state) noexcept { state_ = &state; }
  std::vector<kept_as<T>>& more() noexcept { return more_; }

 private:
  element_state<T>* state_;
  std::vector<kept_as<T>> more_;
  std::size_t counted_ = 0;
};

}  // namespace armilla::detail
