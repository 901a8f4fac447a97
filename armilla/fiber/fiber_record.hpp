// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>

#include "armilla/fiber/wait_object.hpp"
#include "armilla/stats/stopwatch.hpp"

namespace armilla::detail {

/// What the C++ runtime keeps for each thread about exceptions that are being handled: a fiber that waits inside `catch`, or
/// in a destructor while the stack is unwound, must find its own again.
struct exception_globals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// One stack of execution of a rank. The rank's own thread has one, too (`main`); all others lie at the top of their stacks
/// and stay there when they have ended, ready to run something else.
///
/// A record belongs to one rank; nothing in it is shared with other threads.
struct fiber_record {
  enum class state_t : std::uint8_t { idle, ready, running, waiting };

  void* context = nullptr;       ///< where it goes on
  fiber_record* next = nullptr;  ///< in the one queue it stands in
  exception_globals exceptions;
  std::uint32_t body_depth = 0;   ///< context::body_depth while it does not run
  std::uint32_t own_depth = 0;    ///< 1: it is a body that waited; 0: the rank's own code. Deeper: a handler that may not wait
  std::uint32_t fiber_depth = 0;  ///< body_depth of a body that counts as a fiber from its beginning
  component in = component::cpu;
  state_t state = state_t::idle;

  // for reports
  const char* algorithm = nullptr;     ///< that the user has called and in which it is; null: none
  std::uint32_t number = 0;            ///< of the fibers that the rank ever made; 0: main
  const char* waits_for = nullptr;     ///< operation
  wait_object waits_on;                ///< object, if any
  fiber_record* next_known = nullptr;  ///< all of the rank

  // what it runs: set where it is started
  void (*work)(fiber_record& self) = nullptr;
  void (*on_wait)(fiber_record& self) = nullptr;  ///< called once, before its first wait
  void* on_wait_for = nullptr;                    ///< what `on_wait` is about
  std::uint32_t timers = 0;                       ///< that will wake it
  bool counted = false;                           ///< it was left behind by a body: the fence waits for its end
  bool detached = false;                          ///< nothing joins it: its record is free when it ends
  bool ended = false;                             ///< and waits for its join
  bool gathers = false;                           ///< its present wait sends nothing: what runs next asks for more of the same
  fiber_record* joiner = nullptr;
  std::uint64_t turn = 0;    ///< of a function of collective_async, whose fiber it is or that started it; 0: none
  std::exception_ptr error;  ///< what `work` ended with
  static constexpr std::size_t room = 192;
  alignas(16) std::byte storage[room];  ///< of the callable, and then of its result

  // its stack
  std::byte* lowest = nullptr;  ///< behind the guard; null: the thread's own stack
  std::size_t stack_bytes = 0;
  std::uint32_t guard_bytes = 0;    ///< of the memory below `lowest` that no other stack uses
  bool guarded = true;              ///< nothing can access it
  bool released = false;            ///< stack_pool::trim takes it away
  void* sanitizer_stack = nullptr;  ///< address sanitizer's
  void* sanitizer_fiber = nullptr;  ///< thread sanitizer's
};

/// Fibers one behind the other.
class fiber_queue {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void push(fiber_record& f) noexcept {
    f.next = nullptr;
    if (first_ == nullptr)
      first_ = &f;
    else
      last_->next = &f;
    last_ = &f;
  }
  void push_front(fiber_record& f) noexcept {
    f.next = first_;
    if (first_ == nullptr) last_ = &f;
    first_ = &f;
  }
  fiber_record* pop() noexcept {
    fiber_record* const f = first_;
    if (f != nullptr) first_ = f->next;
    return f;
  }
  fiber_record* front() const noexcept { return first_; }
  /// Takes `f` out, wherever it stands. Cost: the length.
  bool remove(fiber_record& f) noexcept;

 private:
  fiber_record* first_ = nullptr;
  fiber_record* last_ = nullptr;
};

}  // namespace armilla::detail
