// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/when_complete.hpp"

#include <memory>

namespace armilla {
namespace detail {
namespace {

/// What is under way for a future; frees itself when it is over.
struct awaited_transfers : far_wait {
  explicit awaited_transfers(const pending_op* c) : to(c) { at_end = &over; }

  static void over(far_wait& me) {
    const std::unique_ptr<awaited_transfers> mine(static_cast<awaited_transfers*>(&me));
    fill(mine->to, [&] { throw_failure(mine->failure); });
  }

  late_op to;
};

}  // namespace
}  // namespace detail

future<void> when_complete(event& e) {
  const auto promised = detail::promise<void>::make("when_complete");
  future<void> result = promised.get_future();
  auto pending = std::make_unique<detail::awaited_transfers>(promised.target);
  const bool any = detail::event_access::hand_over(e, *pending);
  auto* const node = pending.release();
  if (!any) node->over(*node);
  return result;
}

}  // namespace armilla
