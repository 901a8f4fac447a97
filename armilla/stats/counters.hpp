// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

/// What a rank counts while it runs: plain increments at the place where it happens, read by `stats()` and the report.
struct counters {
  // messages
  std::uint64_t frames_sent = 0;       ///< buffers published to a peer
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;        ///< payload and headers inside frames
  std::uint64_t bytes_received = 0;
  std::uint64_t runs_received = 0;     ///< dispatches: a run of statements of one handler counts once
  std::uint64_t statements_sent = 0;
  std::uint64_t questions_sent = 0;
  std::uint64_t replies_sent = 0;
  std::uint64_t replies_abandoned = 0; ///< replies to a future that was dropped
  std::uint64_t remote_errors = 0;     ///< questions that were answered by an exception
  std::uint64_t bulk_sent = 0;         ///< payloads that went by a block of the shared heap
  std::uint64_t bulk_bytes_sent = 0;
  std::uint64_t spilled_frames = 0;    ///< frames queued at the sender for lack of credit
  std::uint64_t spilled_bytes = 0;
  std::uint64_t credit_stalls = 0;     ///< sends of the rank's own code that had to wait for credit
  // waiting
  std::uint64_t polls = 0;
  std::uint64_t idle_polls = 0;
  std::uint64_t yields = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t wakes_sent = 0;
  // teams
  std::uint64_t barriers = 0;
  std::uint64_t fences = 0;
  std::uint64_t fence_rounds = 0;
  std::uint64_t collectives = 0;
  // global memory
  std::uint64_t reads = 0;             ///< blocking reads that were not a plain load
  std::uint64_t writes = 0;
  std::uint64_t gets = 0, get_bytes = 0;
  std::uint64_t puts = 0, put_bytes = 0;
  std::uint64_t stores = 0, store_bytes = 0;
  std::uint64_t atomics = 0;
  std::uint64_t cross_copies = 0;      ///< process_vm_readv / writev
  // calls between programs and threads (later layers)
  std::uint64_t stub_misses = 0;
  std::uint64_t switches = 0;
  std::uint64_t locks = 0;
};

}  // namespace armilla::detail
