// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/event.hpp"
#include "armilla/future.hpp"

namespace armilla {

/// Returns a future that is ready when the transfers that have named `e` so far are complete. It fails with the first error among
/// them.
///
/// The event is ready at once, and free for other transfers; it need not outlive the call. Cost: one allocation while transfers
/// are in flight.
///
///     am::event e;
///     am::get(row, p, e);
///     am::future<double> sum = am::when_complete(e).then([] { return add_up(row); });
future<void> when_complete(event& e);

}  // namespace armilla
