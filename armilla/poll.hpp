// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/durations.hpp"
#include "armilla/base/values/peer.hpp"
#include "armilla/base/values/wait_mode.hpp"
#include "armilla/rpc/calls.hpp"

/// Progress and buffering: when a rank receives messages, and when small ones are sent.
///
/// A rank receives messages inside of the library's calls that wait. A program that computes for long polls from time to time, or
/// uses ARMILLA_PROGRESS_MODE (docs/guide/progress.md).
///
///     for (int step = 0; step < 1000; ++step) {
///       compute();
///       am::poll();
///     }
///     {
///       const am::batch together;                  // many small two-way calls share messages
///       for (int k = 0; k < 100; ++k) futures.push_back(am::call(1, [](int n) { return n + 1; }, k));
///     }
namespace armilla {

/// Runs the calls that have arrived, and sends what is buffered. Returns whether a called function ran or a reply arrived.
///
/// It waits for nothing, but other fibers may run. Inside a called function it does nothing, unless that has waited before.
bool poll();

/// How much one poll does for other ranks. The next poll continues with what is left, in order.
struct poll_budget {
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  static constexpr std::chrono::nanoseconds unlimited_time = std::chrono::nanoseconds::max();

  std::uint64_t bodies = unlimited;                ///< how many calls and active messages it runs at most; 0: none
  std::chrono::nanoseconds time = unlimited_time;  ///< after what time it begins no further one; 0: it begins none
};

/// Polls until a budget is spent: `poll({.bodies = 16})`, `poll({.time = 50us})`. Returns whether a called function ran or a
/// reply arrived.
///
/// A function that runs is not interrupted. Replies, one-sided access by message and collectives do not count, and are received
/// as before, but what a rank has sent after a call waits for that call. Ranks take turns. Throws `usage_error` for a negative
/// time. Cost: some nanoseconds more for each call; with a time, a reading of the clock for each.
///
/// Paper: Split-C and Active Messages on the Paragon, section 5 (a node cannot control the amount or type of work done for
/// others).
bool poll(poll_budget most);

/// Sets the budget of polls that the program did not ask for: those of a send without credit, and of `set_poll_every`. For this
/// rank, from now on; the job's default is ARMILLA_POLL_BUDGET, without a limit. Throws `usage_error` for a budget of nothing.
void set_poll_budget(poll_budget most);

/// Waits until at least one call or reply has arrived, and has run. It may be any: test in a loop what you wait for.
///
///     while (!done) am::wait_for_message();
///
/// Paper: STAPL, section 5.1 (rmi_wait).
void wait_for_message();

/// Sends all one-way calls that are buffered. They arrive in order. It completes none of them: a fence does. Inside a called
/// function, what finds no room is queued.
void flush();

/// Sets after how many bytes of one-way calls to one rank a buffer is sent; 0: each call is sent alone, at once. For this rank,
/// from now on; the job's default is ARMILLA_AGGREGATE.
///
/// A length beyond that of a buffer (an eighth of a ring; a frame of the network, 64 KiB) means that length.
void set_aggregation(std::size_t bytes);

/// Sets the same for calls to ranks of one kind: this rank, its host, or those that a network reaches.
void set_aggregation(peer kind, std::size_t bytes);

/// Returns what is set, in bytes.
std::size_t aggregation(peer kind = peer::host);

/// Makes every n-th communication call poll (0: none), for faster replies from a rank that only sends. The job's default is
/// ARMILLA_POLL_EVERY.
///
/// These count: one-way and two-way calls, active messages, collectives, and one-sided accesses, also those that are a load, a
/// store or an instruction on mapped memory. So `*p` may run called functions while n is not 0, and costs some nanoseconds more.
///
/// Paper: STAPL, section 6.2.
void set_poll_every(std::uint32_t n);

/// Sets how this rank's fibers wait, from now on. The job's default is ARMILLA_WAIT.
void set_wait_mode(wait_mode mode);

/// While an object lives, something outside of the job may end what this rank waits for: another thread of the process, or a
/// signal handler. Then a job in which all ranks wait is not reported as stalled (docs/guide/diagnosis.md).
class outside_event {
 public:
  outside_event();
  ~outside_event();
  outside_event(const outside_event&) = delete;
  outside_event& operator=(const outside_event&) = delete;
};

/// While an object lives, two-way calls are buffered like one-way calls: many small calls to a rank cost as much as one.
///
/// They are sent when a buffer is full, at any wait, poll or fence, and at the end of the outermost batch.
class batch {
 public:
  batch();
  ~batch();
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
};

}  // namespace armilla
