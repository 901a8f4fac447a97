// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/job_block.hpp"
#include "armilla/ring/host_layout.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla::detail {

/// What the owner of a control block does, as far as its peers care.
enum attention : std::uint32_t {
  awake,          ///< it looks by itself
  asleep,         ///< in the kernel, or about to be: wake it (futex word)
  interruptible,  ///< it computes and wants to be interrupted: signal it
  at_descriptor,  ///< asleep, until a network's descriptor says something: signal it
};
inline constexpr int attention_signal_offset = 5;   ///< SIGRTMIN + this
inline constexpr int descriptor_signal_offset = 6;  ///< the same for one that sleeps at a descriptor
inline constexpr int calls_signal_offset = 7;       ///< for one that computes: it notes its calls (busy_place.hpp)

/// Which rings a reader has to look at: those whose writers have entered here. To look at a ring takes a page of the host's
/// memory, even where nothing was ever written to it.
// Model: tests/models/order/sleep.rs
struct ring_directory {
  static constexpr std::size_t words = most_local_ranks / 64;
  enum kind : int { bodies, replies, kinds };        ///< replies: of progress threads
  std::atomic<std::uint32_t> entries;                ///< counted up behind each: what a look compares
  std::atomic<std::uint64_t> writers[kinds][words];  ///< a bit for each rank of the host

  /// By the writer, before its first frame.
  void enter(int kind, local_rank from) noexcept {
    const auto n = std::size_t(from);
    writers[kind][n / 64].fetch_or(std::uint64_t(1) << (n % 64), std::memory_order_relaxed);
    entries.fetch_add(1, std::memory_order_release);  // pairs with the acquire in inbox::adopt
  }
};

/// In the control pages of a rank: one block for itself, one for its progress thread. Written by the owner unless said otherwise.
struct control_block {
  /// One of `attention`; a peer that sees another value than `awake` sets it to that and does what it says.
  alignas(cache_line) std::atomic<std::uint32_t> sleeping;
  /// Of the owner: where the signal goes, set before the first one; in a rank that shares cores from the start.
  std::atomic<std::int32_t> process, thread;
  /// Where the heap begins in the owner's segment; set before the ranks first meet.
  alignas(cache_line) std::atomic<std::uint64_t> heap_first;
  /// Of the network over rings: the owner wants its descriptor to tell when something comes. Telling sets it back.
  std::atomic<std::uint32_t> loop_armed;
  alignas(cache_line) ring_directory rings;  ///< that the owner reads

  // What the rank shows to the supervisor of the job. Not on the line of `sleeping`, which every sender reads.

  /// Counted up, before the rank is woken, to ask what it waits for: `ask`.
  alignas(cache_line) std::atomic<std::uint32_t> asked;
  std::atomic<std::uint32_t> answered;  ///< up to this request; `text` is written before
  /// 0 unless the owner sleeps; else twice the time (now_ns) since when it has found nothing to do, and 1 more if only ranks of
  /// this job can change that.
  std::atomic<std::uint64_t> idle;
  std::atomic<std::uint64_t> looked;   ///< when it last looked and found nothing, roughly; 0: never
  std::atomic<std::uint32_t> present;  ///< of a progress thread's block: there is one; its rank says so before it can begin
  std::uint32_t text_bytes;
  /// A bit for each place whose attached client has asked for something, set before the rank is woken; the owner takes all of
  /// them.
  std::atomic<std::uint32_t> called;
  static constexpr std::uint32_t called_by_thread = std::uint32_t(1) << 31;  ///< in `called`: threads of its process have posted
  std::atomic<std::uint32_t> asked_by_client;  ///< the last request (`asked`) of an attached client, which alone reads the answer
  /// Where in this host's memory the list of the data that it exposes begins; 0: it exposes nothing.
  std::atomic<std::uint64_t> exposed;
  std::atomic<std::uint64_t> waits;         ///< begun: looks that found nothing behind those that found something
  std::atomic<std::uint32_t> silence_told;  ///< 1: another rank has reported that this one takes in no messages
  /// The algorithm that the rank is in, ended by a zero, for errors of others; all zeros: none. Read without order.
  static constexpr std::size_t algorithm_words = 4;
  alignas(cache_line) std::atomic<std::uint64_t> algorithm[algorithm_words];
  /// The one that it was in when it found that ranks had entered different collectives, for those that find it later; `mismatch`
  /// is written last, and says which collective that was: `post_mismatch`.
  std::atomic<std::uint64_t> algorithm_of_mismatch[algorithm_words - 1];
  std::atomic<std::uint64_t> mismatch;
  /// What the rank slept for last, as words as above: true while `idle` is not 0.
  static constexpr std::size_t waits_words = 8;
  alignas(cache_line) std::atomic<std::uint64_t> waits_for[waits_words];
  /// Of the rank; all zeros in the block of a progress thread. Plain words of 8 bytes, which others read while they grow.
  alignas(cache_line) counters count;
  /// Attached clients of the job that call this rank: what each wrote, a `client_place`; 0: the place is free.
  static constexpr std::size_t client_places = 8;
  alignas(cache_line) std::atomic<std::uint64_t> clients[client_places];
  /// Of the algorithm that the rank is in, for a bar that shows the job's progress: what there is to do on this rank, 0 if that
  /// is not known, and what of it is done. Read without order.
  alignas(cache_line) std::atomic<std::uint64_t> work_expected, work_done;
  /// Frames that this block's owner has sent over a network, and taken in, as it knew before it slept: what finds out whether any
  /// is under way.
  std::atomic<std::uint64_t> network_sent, network_taken;
  /// Counted up, before `asked`, by those that want to know in which lines of the program the rank waits, too.
  std::atomic<std::uint32_t> lines_asked;
  std::atomic<std::uint32_t> lines_given;  ///< up to this request: `text` was written once more before, with the lines
  /// Where the program makes the container that `algorithm` and `algorithm_of_mismatch` name: "heat.cpp:42"; all zeros: none.
  static constexpr std::size_t place_words = 4;
  alignas(cache_line) std::atomic<std::uint64_t> made_at[place_words];
  std::atomic<std::uint64_t> made_at_of_mismatch[place_words];
  std::atomic<std::uint32_t> notes_calls;  ///< 1: the signal for that is handled
  std::atomic<std::uint32_t> calls_asked,
      calls_noted;  ///< counted up by the one that sends the signal; up to which it was answered
  static constexpr std::size_t calls_words = 24;
  alignas(cache_line) std::atomic<std::uint64_t> calls[calls_words];  ///< addresses in the rank's process, innermost first
  static constexpr std::size_t text_room = host_layout::control_bytes / 2 - std::size_t(13) * cache_line -
                                           align_up(sizeof(counters), cache_line) - align_up(sizeof(ring_directory), cache_line);
  alignas(cache_line) char text[text_room];  ///< what its fibers wait for, in lines
};
static_assert(2 * sizeof(control_block) <= host_layout::control_bytes);

/// Wakes the owner if it sleeps, or interrupts it if it wants that. May be called by a signal's handler.
[[gnu::cold, gnu::visibility("default")]] void wake(
    control_block& sleeper) noexcept;  // fabric/notify.hpp, which programs include, calls it
/// Lets the owner write down what it waits for in its wait, or in the next one. May be called by a signal's handler.
void ask(control_block& rank) noexcept;
/// The same, and then once more with the lines of the program in which it waits: to find those takes up to 400 ms the first time.
void ask_with_lines(control_block& rank) noexcept;

/// The control block of rank `r` of this host, for a process that has mapped the control pages behind the job's first pages.
control_block& control_of(job_block& job, rank_t r) noexcept;
/// The same of its progress thread.
inline control_block& progress_thread_of(job_block& job, rank_t r) noexcept { return *(&control_of(job, r) + 1); }

/// From here on SIGUSR1 asks what the ranks of the job wait for, unless the program has a handler of its own. Call it before the
/// job hears of this process: its supervisor passes the signal on to those it knows.
void answer_signals(job_block& job, rank_t rank) noexcept;

}  // namespace armilla::detail
