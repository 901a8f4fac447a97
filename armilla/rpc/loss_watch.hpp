// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// An object of the library that is told of lost ranks while it exists: in a fiber, as a function of `on_loss`, after everything
/// that the lost rank had sent here.
class loss_watch {
 public:
  loss_watch();
  loss_watch(const loss_watch&) = delete;
  loss_watch& operator=(const loss_watch&) = delete;
  /// Rank `lost` of the job is lost. May send, and does not wait.
  virtual void lose(rank_t lost) = 0;

 protected:
  ~loss_watch();
};

}  // namespace armilla::detail
