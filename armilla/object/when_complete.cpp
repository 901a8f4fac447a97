// SPDX-License-Identifier: Apache-2.0
#include "armilla/when_complete.hpp"

#include <memory>

namespace armilla {
namespace detail {
namespace {

/// What is under way for a future; frees itself when it is over.
struct awaited_transfers : continuation {
  explicit awaited_transfers(const pending_op* c) : continuation{&awaited_transfers::over}, to(c) { pieces.over = this; }

  static void over(continuation* self, pending_op*) {
    const std::unique_ptr<awaited_transfers> mine(static_cast<awaited_transfers*>(self));
    fill(mine->to, [&] { throw_failure(mine->pieces.failure); });
  }

  late_op to;
  remote_wait pieces;
};

}  // namespace
}  // namespace detail

future<void> when_complete(event& e) {
  const auto promised = detail::promise<void>::make("when_complete");
  future<void> result = promised.get_future();
  auto pending = std::make_unique<detail::awaited_transfers>(promised.target);
  const bool any = detail::event_access::hand_over(e, pending->pieces);
  auto* const node = pending.release();
  if (!any) node->over(node, nullptr);
  return result;
}

}  // namespace armilla
