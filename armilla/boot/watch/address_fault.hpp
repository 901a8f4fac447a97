// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "armilla/boot/host/job_block.hpp"

/// Which kind of wrong address ended a rank: its handler of SIGSEGV notes it, and what reports the rank's end reads the note.
namespace armilla::detail {

/// What a rank of this host notes, at the end of the job block's pages, after the block itself.
struct fault_note {
  enum class kind : std::uint32_t { none, unknown, null, stack, of_other_rank, of_ended_container, no_address };
  std::atomic<kind> what;  ///< written last
  std::int32_t owner;      ///< the other rank
  std::uint64_t address;   ///< 0 of `no_address`
};
static_assert(sizeof(fault_note) == 16);
static_assert(sizeof(job_block) + (most_local_ranks + 1) * sizeof(fault_note) <= host_layout::job_bytes);

/// Of a rank of this host.
fault_note& fault_note_of(job_block& job, rank_t rank) noexcept;

/// Notes what kind of address it was. `machine`: the third argument of a signal handler. A signal
/// that another process sent leaves no note. Async-signal-safe.
void note_fault(job_block& job, rank_t rank, const siginfo_t& info, const void* machine) noexcept;

/// The address that was noted was memory of a container, which has ended. Async-signal-safe.
void note_ended_container(job_block& job, rank_t rank) noexcept;

/// The same as note_fault, for a stack pointer; 0: it is not known.
void note_fault(job_block& job, rank_t rank, const siginfo_t& info, std::uintptr_t stack_pointer) noexcept;

/// Whether this is the first call for a rank of this host, all of which mostly crash alike. Async-signal-safe.
bool is_first_crash(job_block& job) noexcept;

/// Returns a further line for the report of the rank's end, beginning with a line feed; empty if the rank noted nothing.
std::string text_of_fault(job_block& job, rank_t rank);

}  // namespace armilla::detail
