// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/base/context.hpp"
#include "armilla/rpc/on_lost.hpp"

namespace armilla::detail {

/// What the program wants to be done when a rank is lost, in the order in which it said so.
class loss_handlers {
 public:
  loss_handlers() = default;
  loss_handlers(const loss_handlers&) = delete;
  ~loss_handlers();

  void add(const loss_handler& one) { all_.push_back(one); }
  /// Each in a fiber, for which a fence waits.
  void run(context& self, rank_t lost) const;

 private:
  std::vector<loss_handler> all_;
};

}  // namespace armilla::detail
