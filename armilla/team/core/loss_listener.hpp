// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct team_state;

/// Something of a rank that hears of each lost rank, and may move: a node of a list. It hears of it before another rank can have
/// that place.
class loss_listener {
 public:
  virtual void hear_of(rank_t lost) noexcept = 0;

  /// Tells all of them.
  static void tell_all(const team_state& s, rank_t lost) noexcept;
  /// Those that outlive the layer hear nothing any more.
  static void let_all_go(team_state& s) noexcept;

 protected:
  loss_listener() = default;
  loss_listener(loss_listener&& other) noexcept { stand_for(other); }
  loss_listener& operator=(loss_listener&& other) noexcept {
    if (this != &other) unlink(), stand_for(other);
    return *this;
  }
  ~loss_listener() { unlink(); }

  /// From now on, where lost ranks are replaced.
  void listen() noexcept;

 private:
  void stand_for(loss_listener& other) noexcept;
  void unlink() noexcept;

  loss_listener* next_ = nullptr;
  loss_listener** before_ = nullptr;  // what points to this; null: it does not listen
};

}  // namespace armilla::detail
