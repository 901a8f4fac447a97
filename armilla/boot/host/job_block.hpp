// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/limits.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/crowd_record.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

/// How far a rank has come. Only the rank itself moves it forward; the supervisor sets it back for another one in its place.
/// `ending`: its function and its session have ended, and it waits for the others at the last meetings.
enum class rank_stage : std::uint32_t { absent, joined, running, ending, finished };

/// How a program is a rank: by `run`, by `run_main`, in which ranks serve until rank 0's function returns, or by a `session`.
enum class program_kind : std::uint32_t { unknown, run, run_main, session };

/// How a rank ended the job, as noted by the rank itself. The supervisor reads the rest from the exit status.
enum class failure_kind : std::int32_t {
  none,
  exception,  ///< `text`: type and what()
  code,       ///< its main function returned `code`, not 0
  exited,     ///< std::exit(code) before its end
  signal,     ///< `code`: the signal, noted by the thread that it struck
  start,      ///< could not join; `text` says why
  lost,       ///< `rank` cannot be reached, as `text` says
  secondary   ///< by `rank_lost` or a `consequence`: another rank is the cause; `text` as of an exception
};

/// One rank of the job, 32 bytes.
struct rank_record {
  std::atomic<std::int32_t> pid;
  std::atomic<rank_stage> stage;
  std::uint64_t build;      ///< identity of its executable
  std::uint32_t program;    ///< set by the supervisor
  std::int32_t exec_error;  ///< errno, if the program could not be started
  std::int16_t cpu[4];      ///< bound to these processors: twice the first one and how many; -1: none
};

/// The first failure of the job. The rank that moves `stage` from 0 to 1 writes the rest, then sets 2.
struct failure_record {
  std::atomic<std::uint32_t> stage;
  std::int32_t rank;  ///< -1: not known
  failure_kind kind;
  std::int32_t code;
  std::uint32_t after_loss;  ///< a loss was known before: it may be the consequence of that
  char text[1528];
  /// Where in the user's program it arose, in a line or two, which takes a while to find. The rank sets `search` to 1 before
  /// `stage` to 2, and to 2 when `place` is written.
  std::atomic<std::uint32_t> search;
  char place[512];

  bool complete() const noexcept { return stage.load(std::memory_order_acquire) == 2; }
  /// Whether it is complete, and arose by itself: no other rank's end can be its cause.
  bool is_primary() const noexcept {
    return complete() && after_loss == 0 && kind != failure_kind::secondary && kind != failure_kind::lost;
  }
};

/// Who finds out that a job stands still: messages of a network are not seen in the memory of a host.
enum class stall_state : std::uint32_t {
  seen_in_memory,  ///< what looks at that: the supervisor
  asked_of_ranks,  ///< the ranks themselves: session/stall_search.hpp
  found            ///< they have said that it does
};

/// The first pages of the host's memory: made and filled by the supervisor, joined by every rank.
struct job_block : membership {
  static constexpr std::uint32_t max_ranks = most_ranks;
  static constexpr std::uint32_t max_programs = 32;
  static constexpr std::size_t max_name = 256;
  static constexpr std::uint32_t max_meetings = 8;
  static constexpr std::size_t max_options = 4096;

  std::uint32_t threads;            ///< all ranks are threads of one process
  std::uint32_t label;              ///< output goes through the supervisor
  std::uint32_t cores, processors;  ///< that this job may use
  std::uint32_t program_count;
  static constexpr std::int32_t launched = -1;
  std::int32_t supervisor;    ///< its pid; 0: a job of one rank without supervisor; `launched`: a launcher's job
  std::uint32_t losses_told;  ///< what looks after the ranks, on all hosts, tells of each that dies, and why
  /// Set to let the supervisor ask all ranks what they wait for. In a launcher's job: when one rank last printed that of all, in
  /// milliseconds.
  std::atomic<std::uint32_t> report_wanted;
  std::atomic<program_kind> kind;  ///< what the ranks of the start do: one that joins comes to the end as they do
  std::atomic<stall_state> stall;

  alignas(cache_line) std::atomic<std::uint32_t> arrived[max_meetings];  ///< ranks at each meeting point
  alignas(cache_line) std::atomic<std::uint32_t> mains_done;             ///< how many functions of run_main have returned
  alignas(cache_line) failure_record failure;
  std::uint32_t options_bytes;
  std::atomic<std::uint32_t> options_told;  ///< a rank has said that its own are overruled
  char options[max_options];                ///< that all ranks must share: see options::shared
  char program_names[max_programs][max_name];
  rank_record rank[max_ranks];
  alignas(cache_line) crowd_record crowd;
  std::atomic<std::uint8_t> met[max_ranks];                 ///< meet_living: how far each rank has come
  std::atomic<std::uint64_t> same_failure[max_ranks / 64];  ///< a bit for each rank that failed just as `failure` says
};
static_assert(sizeof(rank_record) == 32);
static_assert(sizeof(job_block) <= host_layout::job_bytes);
static_assert(std::atomic<rank_stage>::is_always_lock_free);

/// Where everything lies in the memory that begins so.
inline host_layout layout_of(const job_head& job) noexcept {
  host_layout layout;
  layout.places = job.places;
  layout.locals = job.locals.count;
  layout.ring_bytes = job.ring_bytes;
  layout.segment_bytes = job.segment_bytes;
  return layout;
}

}  // namespace armilla::detail
