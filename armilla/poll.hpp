// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/durations.hpp"
#include "armilla/base/values/peer.hpp"
#include "armilla/base/values/wait_mode.hpp"
#include "armilla/rpc/calls.hpp"

/// Taking in messages, and when small ones leave.
namespace armilla {

/// Runs what has come from other ranks and sends what waits for company. Does not wait for anything, but other fibers
/// may have their turn. Inside a body it does nothing, unless that has waited before.
/// True if a body ran or a reply came.
bool poll();

/// How much one poll does for other ranks. What a poll leaves stays in its order, and the next one goes on with it.
struct poll_budget {
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  static constexpr std::chrono::nanoseconds unlimited_time = std::chrono::nanoseconds::max();

  std::uint64_t bodies = unlimited;                ///< so many bodies and active messages begin at most; 0: none
  std::chrono::nanoseconds time = unlimited_time;  ///< after so long no other one begins; 0: none
};

/// `poll` that ends when its budget is spent: `poll({.bodies = 16})`, `poll({.time = 50us})`. The body that runs is not
/// interrupted. Answers, one-sided access by message and collectives are no bodies and are taken in as before, but what a rank
/// has sent behind a body waits for that. Ranks take turns. True if a body ran or a reply came. Errors: usage_error for a
/// negative time. Cost: a body some ns more; with a time, a look at the clock for each.
/// Paper: Split-C and Active Messages on the Paragon, section 5 (a node cannot control the amount or type of work done for
/// others).
bool poll(poll_budget most);

/// What polls may do that the program has not asked for: those of a send without credit and of `set_poll_every`. For this rank,
/// from now on; the job's default: ARMILLA_POLL_BUDGET, which is no limit. Errors: usage_error for a budget of nothing.
void set_poll_budget(poll_budget most);

/// Waits until at least one call (statement, question, reply) has come in and run. Paper: STAPL, section 5.1 (rmi_wait).
void wait_for_message();

/// Sends all small statements that wait for company; they arrive in their order. It completes none of them: a fence does. Inside
/// a body what finds no room is queued.
void flush();

/// Sets after how many bytes (of statements to one rank) a buffer is sent; 0: every statement goes alone, at once.
/// For this rank's sends, from now on. The job's default: ARMILLA_AGGREGATE. Longer than a buffer can be (an eighth of a ring; a
/// frame of the network, 64 KiB) is as long as it can be.
void set_aggregation(std::size_t bytes);
/// The same of statements to ranks of one kind: this rank, its host, or what a network reaches.
void set_aggregation(peer kind, std::size_t bytes);
/// What is set now, in bytes.
std::size_t aggregation(peer kind = peer::host);

/// Every n-th communication call polls (0: none does): quicker replies from a rank that only sends. Statements, active messages,
/// calls, collectives, and of one-sided access what is more than a load, a store or an instruction on mapped memory.
/// The job's default: ARMILLA_POLL_EVERY. Paper: STAPL, section 6.2.
void set_poll_every(std::uint32_t n);

/// Sets how this rank's fibers wait, from now on. The job's default: ARMILLA_WAIT.
void set_wait_mode(wait_mode mode);

/// While one lives, something outside of the job may end what this rank waits for: another thread of the process, a handler of a
/// signal. A job in which all ranks wait is then not taken for one that stands still (see docs/guide/diagnosis.md).
class outside_event {
 public:
  outside_event();
  ~outside_event();
  outside_event(const outside_event&) = delete;
  outside_event& operator=(const outside_event&) = delete;
};

/// While one lives, questions wait for company like statements: many small questions to a rank cost as much as one.
/// They leave when a buffer is full, at any wait, poll or fence, and at the end of the outermost batch.
class batch {
 public:
  batch();
  ~batch();
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
};

}  // namespace armilla
