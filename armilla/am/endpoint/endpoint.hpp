// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/interrupts.hpp"
#include "armilla/am/endpoint/ledger.hpp"
#include "armilla/am/endpoint/losses.hpp"
#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/endpoint/progress.hpp"
#include "armilla/fabric/crowding.hpp"

namespace armilla::detail {

struct launch;

/// A rank's place in the message layer: what sends, what receives, what waits, and what is known of other ranks. A progress
/// thread has one of its own.
struct endpoint {
  endpoint(context& self, const host_map& host, role who = role::rank);
  endpoint(const endpoint&) = delete;

  outbox out;
  std::optional<crowding> crowd;  ///< of a rank whose host has more of them than cores
  event_count sleeper;            ///< how this rank sleeps, and where it tells what it waits for
  losses lost;
  inbox in;
  ledger sums;  ///< for the fence
  progress waits;
  interrupts signals;

  /// Behind the last fence: the network lets go of this rank's memory.
  void close_network();
  /// Brings the counters up to date: some are kept in other places, where they cost less.
  void settle_counts() noexcept;
  /// In a child that a body or a fiber of this rank has forked: the present frame is left, and nothing can be sent.
  void enter_child() noexcept;
};

void start_messages(context& self, const launch& how);
void stop_messages(context& self);

}  // namespace armilla::detail
