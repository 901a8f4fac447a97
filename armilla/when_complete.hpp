// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/event.hpp"
#include "armilla/future.hpp"

namespace armilla {

/// A future that is ready when the transfers that name `e` so far are complete, and fails with the first error among them. The
/// event is then ready, and free for other transfers; it need not live longer. Cost: one allocation while something is under way.
///
///     am::event e;
///     am::get(row, p, e);
///     am::future<double> sum = am::when_complete(e).then([&row] { return add_up(row); });
future<void> when_complete(event& e);

}  // namespace armilla
