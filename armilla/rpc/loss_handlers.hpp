// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/rpc/on_loss_inline.hpp"

namespace armilla::detail {

struct fiber_record;
class loss_watch;

/// What the program wants to be done when a rank is lost, in the order in which it said so.
class loss_handlers {
 public:
  loss_handlers() = default;
  loss_handlers(const loss_handlers&) = delete;
  ~loss_handlers();

  void add(const loss_handler& one) { all_.push_back(one); }
  void add(loss_watch& one);
  void remove(const loss_watch& one) noexcept { std::erase(watches_, &one); }
  /// Makes a fiber for each; fences wait for it from now on.
  void add_fibers(context& self, rank_t lost);
  /// Starts those whose lost rank has left nothing that is not taken in.
  void start_fibers(context& self);

 private:
  struct waiting {
    rank_t lost;
    fiber_record* fiber;
  };
  static void tell_watches(void* handlers, rank_t lost);

  std::vector<loss_handler> all_;
  std::vector<waiting> waiting_;
  std::vector<loss_watch*> watches_;  // one handler tells them all
  bool tells_watches_ = false;
};

}  // namespace armilla::detail
