// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla::detail {

struct pending_op;
struct fiber_record;

/// What runs when an operation is complete; frees itself. Fibers that wait stand in front, and behind them at most one
/// continuation that takes the reply.
struct continuation {
  void (*run)(continuation* self, pending_op* complete);
  continuation* next = nullptr;
};

}  // namespace armilla::detail
