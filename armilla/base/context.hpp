// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/types.hpp"

namespace armilla::detail {

// Each layer keeps its state of a rank in one of these; a layer sees the definitions of its own and the lower ones.
struct options;
struct host_map;
struct endpoint;
class sending;
class scheduler;
struct counters;
struct rank_stats;
struct team_state;
struct call_state;
struct memory_state;
struct object_state;
struct session_state;
struct message_state;
struct progress_thread_state;

/// Everything that belongs to one rank. Ranks may be threads, so nothing else in the library is mutable and global.
struct context {
  rank_t rank = 0;                                                  ///< this rank
  rank_t places = 1;                                                ///< numbers that a rank can have
  std::uint32_t program = 0;                                        ///< which of the job's programs this rank runs
  std::uint32_t body_depth = 0;                                     ///< > 0 while a body runs on this stack
  scheduler* fibers = nullptr;                                      ///< layer fiber
  sending* out = nullptr;                                           ///< layer am: what sends
  endpoint* messages = nullptr;                                     ///< layer am: all of it
  message_state* message_layer = nullptr;                           ///< layer am: what holds the endpoint
  progress_thread_state* progress_thread = nullptr;                 ///< layer am: of this rank, if it has one
  bool (*is_of_lost)(const context&, const void* place) = nullptr;  ///< whether that memory's owner is lost; may be null
  const host_map* host = nullptr;                                   ///< layer fabric: where each rank's memory is mapped here
  void (*settle)(context&) = nullptr;     ///< brings `count` up to date where a layer counts elsewhere; may be null
  void (*each_call)(context&) = nullptr;  ///< at each communication call: the poll at every n-th; null: none was asked for
  counters* count = nullptr;              ///< in the rank's control pages, where other processes may read it
  rank_stats* stats = nullptr;            ///< layer stats: all of it
  call_state* calls = nullptr;            ///< layer rpc
  memory_state* memory = nullptr;         ///< layer global
  team_state* teams = nullptr;            ///< layer team
  object_state* objects = nullptr;        ///< layer object
  session_state* session = nullptr;       ///< what started this rank
  const options* settings = nullptr;      ///< layer base: the values of ARMILLA_*
  std::uint64_t direct_from = 0;          ///< layer global: `*p` is a load where `where` (see address.hpp) is this or above
  std::uint64_t direct_keys = 0;          ///< by less than this; 0: ask the rare path
  std::byte* first_segment = nullptr;     ///< the first of the segments of which that is true; the others follow
  std::uint64_t segment_stride = 0;       ///< one this far behind the other
  rank_t world_size = 1;                  ///< ranks of the start, the first places; the others are for joiners
};

/// The calling thread's rank; null outside a session and on threads that are no rank. One load: initial-exec. One for a program
/// and its libraries, also where they are compiled with -fvisibility=hidden.
[[gnu::tls_model("initial-exec"), gnu::visibility("default")]] inline constinit thread_local context* current = nullptr;

/// The calling thread's rank. A call before `run`, after its end or from a foreign thread throws `usage_error` that names
/// `operation`.
inline context& here(const char* operation);
[[noreturn, gnu::cold]] void throw_no_rank(const char* operation);

inline context& here(const char* operation) {
  if (current == nullptr) [[unlikely]]
    throw_no_rank(operation);
  return *current;
}

}  // namespace armilla::detail
