// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/core/grade.hpp"
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct call_state;
struct context;
struct counters;
struct memory_state;
struct object_state;
class scheduler;
class sending;

/// What templates read of the calling thread's rank: the base of its `context`. Whatever only the library's sources read belongs
/// into `context`, as a change of this class compiles every program again.
struct context_head {
  rank_t rank = 0;                        ///< this rank
  rank_t world_size = 1;                  ///< ranks of the start, the first places; the others are for joiners
  std::uint32_t body_depth = 0;           ///< > 0 while a body runs on this stack
  scheduler* fibers = nullptr;            ///< layer fiber
  sending* out = nullptr;                 ///< layer am: what sends
  counters* count = nullptr;              ///< in the rank's control pages, where other processes may read it
  call_state* calls = nullptr;            ///< layer rpc
  memory_state* memory = nullptr;         ///< layer global
  object_state* objects = nullptr;        ///< layer object
  void (*each_call)(context&) = nullptr;  ///< at each communication call: the poll at every n-th; null: none was asked for
  std::uint64_t direct_from = 0;          ///< layer global: `*p` is a load where `where` (see address.hpp) is this or above
  std::uint64_t direct_keys = 0;          ///< by less than this; 0: ask the rare path
  std::byte* first_segment = nullptr;     ///< the first of the segments of which that is true; the others follow
  std::uint64_t segment_stride = 0;       ///< one this far behind the other
};

/// A pointer that only `set_current` (context.hpp) writes.
template <class Context>
class thread_rank {
 public:
  constexpr operator Context*() const noexcept { return rank_; }
  Context* operator->() const noexcept { return rank_; }

 private:
  friend struct thread_rank_access;
  Context* rank_ = nullptr;
};

/// The calling thread's rank; null outside a session and on threads that are no rank. One load: initial-exec. One for a program
/// and its libraries, also where they are compiled with -fvisibility=hidden.
[[gnu::tls_model("initial-exec"), gnu::visibility("default")]] inline constinit thread_local thread_rank<context> current;
/// Its head. Templates do not see that it is the base of `*current`.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("default")]] inline constinit thread_local thread_rank<context_head> current_head;

[[noreturn, gnu::cold]] void throw_no_rank(const char* operation);

/// The calling thread's rank. A call before `run`, after its end or from a foreign thread throws `usage_error` that names
/// `operation`.
inline context& here(const char* operation) {
  if (current == nullptr) [[unlikely]]
    throw_no_rank(operation);
  return *current;
}

/// The same, of its head.
inline context_head& head_here(const char* operation) {
  if (current_head == nullptr) [[unlikely]]
    throw_no_rank(operation);
  return *current_head;
}

}  // namespace armilla::detail
