// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/am/handler/continuation.hpp"
#include "armilla/am/handler/handler.hpp"
#include "armilla/base/values/owned.hpp"

namespace armilla::detail {

[[gnu::noinline]] void run_continuations(continuation* first, pending_op* complete);

/// The name of a two-way call on the wire. The generation tells a reply to a dropped future from one to its successor.
struct op_id {
  std::uint32_t index;
  std::uint32_t generation;
};

/// Which method a two-way call calls on which rank, for reports, and where its result goes. Lies where the result will.
struct two_way_call_place {
  handler_id method;
  rank_t rank;         ///< of what this rank itself has promised: the rank that it waits for, or no_rank
  const char* name;    ///< of a method that is called by name; else not set
  const char* maker;   ///< of what this rank itself has promised: the operation that made it
  void* buffer;        ///< the caller's, for a result that lands there; else not set
  std::uint64_t room;  ///< of the buffer, in elements
};

/// A fiber that waits for an operation, in the frame of its wait.
struct waiting_fiber : continuation {
  waiting_fiber() noexcept : continuation{&waiting_fiber::go} {}
  static void go(continuation* self, pending_op* complete);

  fiber_record* who = nullptr;  ///< null: it is not attached
};

/// An operation under way: where the reply to it arrives. Pooled; one cache line.
struct pending_op {
  enum class state_t : std::uint8_t { free, pending, ready, failed };

  std::uint32_t index = 0;
  std::uint32_t generation = 1;
  op_id name() const noexcept { return {index, generation}; }
  handler_id reply_handler = no_handler;  ///< may complete it; no_handler: only this rank's own code does
  state_t state = state_t::free;
  enum class dropped : std::uint8_t {
    reports,  ///< an error is thrown by the next fence
    forgets,  ///< another operation has the same error
    waits     ///< as `reports`; memory of the caller is written until the reply is there
  };
  dropped if_dropped = dropped::reports;
  bool deferred = false;  ///< a fence waits until `next_step` has run: see `defer_for`
  continuation* next_step = nullptr;
  union {
    pending_op* next_free = nullptr;
    two_way_call_place asked;  ///< while it is pending: of a two-way call. Other layers store what they need, by `store`
    std::exception_ptr* error;
    void* large;
    alignas(8) std::byte small[40];
  };

  template <class T>
  static constexpr bool fits = sizeof(T) <= sizeof small && alignof(T) <= 8;

  /// A reply to a two-way call may fill it, or an error; not a reply to what another layer has asked.
  bool is_two_way_call() const noexcept { return reply_handler >= first_free_handler; }

  template <class T, class... A>
  void store(A&&... arguments) {
    if constexpr (fits<T>)
      ::new (static_cast<void*>(small)) T(std::forward<A>(arguments)...);
    else
      large = new T(std::forward<A>(arguments)...);
  }
  template <class T>
  T& value() noexcept {
    if constexpr (fits<T>)
      return *std::launder(reinterpret_cast<T*>(small));
    else
      return *static_cast<T*>(large);
  }
  template <class T>
  void destroy() noexcept {
    if constexpr (fits<T>)
      value<T>().~T();
    else
      delete static_cast<T*>(large);
  }

  /// `step` takes the result, behind what waits already.
  void attach(continuation& step) noexcept {
    continuation** at = &next_step;
    while (*at != nullptr) at = &(*at)->next;
    *at = &step;
  }
  /// The same in front of all others.
  void attach_first(continuation& step) noexcept { step.next = std::exchange(next_step, &step); }
  /// It does not, if it still would.
  void detach(const continuation& step) noexcept {
    continuation** at = &next_step;
    while (*at != nullptr && *at != &step) at = &(*at)->next;
    if (*at != nullptr) *at = step.next;
  }
  void complete(state_t how) {
    state = how;
    if (next_step != nullptr) [[unlikely]] { run_continuations(std::exchange(next_step, nullptr), this); }
  }
  void fail(std::exception_ptr reason) {
    error = new std::exception_ptr(std::move(reason));
    complete(state_t::failed);
  }
};

/// A rank's pending operations, of every layer: each knows its own by their `reply_handler`. Taking and giving back allocates
/// nothing once the pool has grown to what is under way at a time.
class pending_ops {
 public:
  pending_op* take(handler_id reply_handler) {
    if (free_ == nullptr) [[unlikely]]
      grow();
    pending_op* c = free_;
    free_ = c->next_free;
    c->reply_handler = reply_handler;
    c->state = pending_op::state_t::pending;
    c->if_dropped = pending_op::dropped::reports;
    return c;
  }
  void give_back(pending_op* c) noexcept {
    ++c->generation;
    c->state = pending_op::state_t::free;
    c->next_step = nullptr;
    c->next_free = free_;
    free_ = c;
  }
  /// Generations count from there. Before the first operation.
  void begin(std::uint32_t generation) noexcept { first_generation_ = generation; }
  /// The pending operation of that name, or null: the two-way call was abandoned, or the name is made up.
  pending_op* find(op_id name) noexcept {
    if (name.index / chunk_size >= chunks_.size()) [[unlikely]]
      return nullptr;
    pending_op* c = &chunks_[name.index / chunk_size][name.index % chunk_size];
    return c->generation == name.generation && c->state == pending_op::state_t::pending ? c : nullptr;
  }
  /// Calls `visit(pending_op&)` for each that is under way. `visit` may give it back, and takes none.
  template <class Visit>
  void each(Visit&& visit) {
    for (const auto& chunk : chunks_)
      for (std::uint32_t i = 0; i < chunk_size; ++i)
        if (chunk[i].state == pending_op::state_t::pending) visit(chunk[i]);
  }
  /// Calls `visit(pending_op&)` for each that has failed and whose error nothing has taken out.
  template <class Visit>
  void each_failed(Visit&& visit) {
    for (const auto& chunk : chunks_)
      for (std::uint32_t i = 0; i < chunk_size; ++i)
        if (chunk[i].state == pending_op::state_t::failed) visit(chunk[i]);
  }
  /// Calls `end(pending_op&)` for each for which `ends(pending_op&)`. By name: what hangs on one may end or begin others.
  template <class Ends, class End>
  void end_each(Ends&& ends, End&& end) {
    std::vector<op_id> names;
    each([&](pending_op& c) {
      if (ends(c)) names.push_back(c.name());
    });
    for (const op_id name : names)
      if (pending_op* const c = find(name)) end(*c);
  }

 private:
  static constexpr std::uint32_t chunk_size = 256;
  void grow();
  pending_op* free_ = nullptr;
  std::uint32_t first_generation_ = 1;
  std::vector<owned<pending_op[]>> chunks_;
};

}  // namespace armilla::detail
