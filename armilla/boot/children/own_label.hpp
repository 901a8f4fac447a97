// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/host/descriptor.hpp"
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// Labels what a rank writes where another launcher has started it, as the supervisor does for its own ranks: from now on
/// standard output and error of this process go through a process beside it. That passes on whole lines, and what the rank wrote
/// last also where it was killed; it ends when nobody can write there any more. Throws `limit_error` if it cannot be started.
class own_label {
 public:
  own_label();
  /// What the lines bear; until then they wait.
  void tell(rank_t mine) noexcept;

 private:
  descriptor number_;  // the other process reads the rank there
};

}  // namespace armilla::detail
