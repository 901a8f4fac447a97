// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

/// What a rank counts while it runs: plain increments at the place where it happens, read by `stats()` and the report.
/// A counter more needs a row in counter_table.cpp.
struct counters {
  // messages; a frame is what travels at once: one message, or many small ones to the same rank
  std::uint64_t frames_sent = 0;  ///< to any rank, this one included
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;  ///< in frames: arguments, headers, names of blocks
  std::uint64_t bytes_received = 0;
  std::uint64_t bundles_received = 0;       ///< dispatches: messages for one method, one behind the other in a frame, count once
  std::uint64_t one_way_calls_sent = 0;     ///< async, one for each rank of a broadcast, request and reply of active messages
  std::uint64_t one_way_calls_dropped = 0;  ///< to lost ranks, where the job goes on; not those gathered when it heard
  std::uint64_t two_way_calls_sent = 0;     ///< call
  std::uint64_t replies_sent = 0;           ///< values that bodies of two-way calls returned here; exceptions are not in it
  std::uint64_t replies_abandoned = 0;      ///< replies to a future that was dropped
  std::uint64_t remote_errors = 0;          ///< two-way calls that were answered by an exception
  std::uint64_t routed_sent = 0;            ///< one-way calls that went by way of other hosts
  std::uint64_t routed_passed_on = 0;       ///< of other ranks, for others
  std::uint64_t control_sent = 0;           ///< what collectives show to other hosts; not in frames and bytes
  std::uint64_t control_bytes_sent = 0;
  std::uint64_t bulk_sent = 0;  ///< payloads that went by a block of the sender's segment
  std::uint64_t bulk_bytes_sent = 0;
  std::uint64_t backlog_frames = 0;  ///< frames queued at the sender for lack of credit
  std::uint64_t backlog_bytes = 0;
  std::uint64_t credit_stalls = 0;  ///< sends of the rank's own code that had to wait for credit
  std::uint64_t holds = 0;          ///< times a rank was not read from any further, for it left too much that is for it
  // waiting
  std::uint64_t polls = 0;       ///< looks at all peers
  std::uint64_t idle_polls = 0;  ///< of them, those that found nothing
  std::uint64_t yields = 0;      ///< the core was offered to others
  std::uint64_t sleeps = 0;
  std::uint64_t wakes_sent = 0;  ///< peers that slept and had to be woken, each a system call
  // teams
  std::uint64_t barriers = 0;
  std::uint64_t fences = 0;        ///< the two with which a job ends included
  std::uint64_t fence_rounds = 0;  ///< of counting; one is enough if nothing happened
  std::uint64_t collectives = 0;   ///< all others
  // global memory; plain loads and stores, and get and put of one object where it is mapped, are not counted
  std::uint64_t reads = 0;  ///< blocking reads that were not a plain load
  std::uint64_t writes = 0;
  std::uint64_t gets = 0, get_bytes = 0;
  std::uint64_t puts = 0, put_bytes = 0;
  std::uint64_t stores = 0, store_bytes = 0;
  std::uint64_t atomics = 0;       ///< that were not an instruction of this rank's processor
  std::uint64_t cross_copies = 0;  ///< process_vm_readv / writev
  // buffers for messages whose bodies may wait; see rpc/receive_buffers.hpp
  std::uint64_t receive_buffers_reused = 0;
  std::uint64_t receive_buffers_made = 0;
  std::uint64_t receive_buffers_returned = 0;  ///< for lack of room under ARMILLA_RECEIVE_BUFFERS
  // calls between programs, and threads
  std::uint64_t stub_hits = 0;        ///< calls by name whose method's index this rank knew
  std::uint64_t stub_misses = 0;      ///< calls by name that carried name and signature, to be looked up
  std::uint64_t client_calls = 0;     ///< of attached clients, that ran here
  std::uint64_t switches = 0;         ///< between fibers
  std::uint64_t fibers_made = 0;      ///< spawned, for coroutines that go on, and in place of bodies that wait
  std::uint64_t locks = 0;            ///< lockings of a mutex or shared_mutex
  std::uint64_t contended_locks = 0;  ///< of them, those that found it held
  std::uint64_t signals = 0;          ///< fibers that were told to go on at the object at which they waited
  // algorithms over containers
  std::uint64_t algorithms = 0;      ///< calls of this rank, those inside others included
  std::uint64_t elements = 0;        ///< that they went through here
  std::uint64_t elements_moved = 0;  ///< that they copied from parts of other ranks, or to them
  // frames of small messages, from the first message until the frame left; only with ARMILLA_STATS or ARMILLA_TRACE
  std::uint64_t buffered_frames = 0;
  std::uint64_t buffered_ns = 0;  ///< the sum of their times
};

/// One of them, looked at by another thread or process than that which counts: a little late, never torn.
__attribute__((no_sanitize("thread"))) inline std::uint64_t glance(const std::uint64_t& counter) noexcept {
  return *static_cast<const volatile std::uint64_t*>(&counter);
}

}  // namespace armilla::detail
