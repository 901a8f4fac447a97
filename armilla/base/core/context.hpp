// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/core/context_head.hpp"

namespace armilla::detail {

// Each layer keeps its state of a rank in one of these; a layer sees the definitions of its own and the lower ones.
struct options;
struct host_map;
struct endpoint;
struct rank_stats;
struct team_state;
struct session_state;
struct message_state;
struct progress_thread_state;

/// Everything that belongs to one rank. Ranks may be threads, so nothing else in the library is mutable and global. Included by
/// the library's sources only; what templates need is in the head.
struct context : context_head {
  rank_t places = 1;                                                ///< numbers that a rank can have
  std::uint32_t program = 0;                                        ///< which of the job's programs this rank runs
  endpoint* messages = nullptr;                                     ///< layer am: all of it
  message_state* message_layer = nullptr;                           ///< layer am: what holds the endpoint
  progress_thread_state* progress_thread = nullptr;                 ///< layer am: of this rank, if it has one
  bool (*is_of_lost)(const context&, const void* place) = nullptr;  ///< whether that memory's owner is lost; may be null
  const host_map* host = nullptr;                                   ///< layer fabric: where each rank's memory is mapped here
  void (*settle)(context&) = nullptr;  ///< brings `count` up to date where a layer counts elsewhere; may be null
  rank_stats* stats = nullptr;         ///< layer stats: all of it
  team_state* teams = nullptr;         ///< layer team
  session_state* session = nullptr;    ///< what started this rank
  const options* settings = nullptr;   ///< layer base: the values of ARMILLA_*
  std::uint64_t mapped_keys = 0;       ///< layer global: what `direct_keys` is where each access need not be counted
};

/// While each communication call is counted, those that are a load or a store take the rare path, which does so. Otherwise they
/// pay nothing for that.
inline void count_each_access(context& self) noexcept { self.direct_keys = self.each_call == nullptr ? self.mapped_keys : 0; }

struct thread_rank_access {
  static void set(context* rank) noexcept {
    current.rank_ = rank;
    current_head.rank_ = rank;
  }
};

/// Makes `rank` the calling thread's rank. Null: the thread is not a rank anymore.
inline void set_current(context* rank) noexcept { thread_rank_access::set(rank); }

}  // namespace armilla::detail
