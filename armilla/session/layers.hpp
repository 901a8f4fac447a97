// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

// Each layer makes its state of a rank and hangs it into the context, in this order; and takes it down again in reverse, when all
// ranks have come to their end. Start and stop talk to no other rank; all ranks meet after the start and before the stop.
void start_stats(context&, const launch&);
void stop_stats(context&);
void start_fibers(context&, const launch&);
void stop_fibers(context&);
void start_messages(context&, const launch&);
void stop_messages(context&);
void start_teams(context&, const launch&);
void stop_teams(context&);
void start_calls(context&, const launch&);
void stop_calls(context&);
void start_memory(context&, const launch&);
void stop_memory(context&);
void start_objects(context&, const launch&);
void stop_objects(context&);
void destroy_objects(context&);

void start_progress_thread(context&, const launch&);
void stop_progress_thread(context&);
bool abandon_progress_thread(context&, std::uint64_t within_ns) noexcept;

/// All that exist, in order. If one throws, those before it are stopped again.
void start_layers(context&, const launch&);
/// In reverse.
void stop_layers(context&);
/// In a rank that fails: what it has running beside its own thread uses its memory and its network no more. False if that could
/// not be stopped: then nothing of it may be destroyed.
bool stop_beside(context&) noexcept;

/// Fibers of this rank's own code that have not ended.
std::uint64_t own_fibers(const context&) noexcept;
/// Everything in flight arrives and is done, on all ranks, and fibers that are not joined end: all but `others`.
void final_fence(context&, std::uint64_t others, ending_of which);
/// The end of run_main before that: function instances, which may still be in collectives of world, have ended on all ranks.
void await_instances(context&, std::uint64_t others);
/// What a one-way call's body throws is printed where it happens, from now on or no more.
void tell_errors_at_once(context&, bool on);
/// What ranks still keep for others goes, behind the final fence and while calls are possible.
void let_go(context&);
/// Calls of attached clients, and functions that other threads post, are taken in, or left where they are from now on.
void take_outside_calls(context&, bool on) noexcept;
/// Other threads can post no more; the functions that they have posted are started.
void end_posts(context&);
/// Answers calls until another rank has raised `count` to `target` (and announced it by `wake_all`). True: there is a region to
/// be run before that.
bool serve_until(context&, const std::atomic<std::uint32_t>& count, std::uint32_t target);
/// Runs the region that came, and meets the other ranks behind it.
void run_next(context&);
/// The function of so many calls of run_main has returned here: ends `serve_until` on all hosts.
void tell_main_done(context&, std::uint32_t mains);
/// Wakes every rank of this host that waits.
void wake_all(context&);

}  // namespace armilla::detail
