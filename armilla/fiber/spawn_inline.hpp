// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/error.hpp"
#include "armilla/fiber/scheduler.hpp"

// What the templates of spawn.hpp are made of.
namespace armilla {

template <class R>
class fiber;

namespace detail {

/// A value in the room of a fiber's record, or on the heap if it is too large for that.
template <class T>
struct fiber_slot {
  static constexpr bool fits = sizeof(T) <= fiber_record::room && alignof(T) <= 16;
  template <class... V>
  static void put(fiber_record& f, V&&... values) {
    if constexpr (fits)
      ::new (static_cast<void*>(f.storage)) T(std::forward<V>(values)...);
    else
      ::new (static_cast<void*>(f.storage)) T*(new T(std::forward<V>(values)...));
  }
  static T& get(fiber_record& f) noexcept {
    if constexpr (fits)
      return *std::launder(reinterpret_cast<T*>(f.storage));
    else
      return **std::launder(reinterpret_cast<T**>(f.storage));
  }
  static void destroy(fiber_record& f) noexcept {
    if constexpr (fits)
      get(f).~T();
    else
      delete &get(f);
  }
  static T take(fiber_record& f) {
    struct at_end {
      fiber_record& f;
      ~at_end() { destroy(f); }
    } end{f};
    return T(std::move(get(f)));
  }
};

template <class R, class F, class... A>
void run_spawned(fiber_record& me) {
  using task = std::tuple<F, A...>;
  try {
    task todo = fiber_slot<task>::take(me);
    const auto go = [&]() -> R {
      return std::apply([](F& f, A&... arguments) -> R { return f(std::move(arguments)...); }, todo);
    };
    if constexpr (std::is_void_v<R>) {
      go();
    } else if (R result = go(); !me.detached) {
      fiber_slot<R>::put(me, std::move(result));
    }
  } catch (const passing&) { throw; } catch (...) {
    if (me.detached)
      current_head->fibers->lose_error(std::current_exception());
    else
      me.error = std::current_exception();
  }
}

/// A fiber that will run `f(arguments...)`, counted as a part of the body that makes it, if one does.
template <class R, class F, class... A>
fiber_record& make_fiber(scheduler& all, F&& f, A&&... arguments) {
  fiber_record& record = all.make(&run_spawned<R, std::decay_t<F>, std::decay_t<A>...>);
  fiber_slot<std::tuple<std::decay_t<F>, std::decay_t<A>...>>::put(record, std::forward<F>(f), std::forward<A>(arguments)...);
  if (all.in_body_or_its_fibers()) [[unlikely]] {
    record.counted = true;
    all.count_one();
  }
  return record;
}

/// Starts a fiber without a handle to join it, and lets it run up to its first wait where the caller may give way.
template <class F>
void start_detached(F&& f, const char* operation) {
  scheduler& all = scheduler_here(operation);
  fiber_record& record = make_fiber<void>(all, std::forward<F>(f));
  record.detached = true;
  all.start_now(record);
}

[[noreturn, gnu::cold]] void throw_no_fiber(const char* operation);

}  // namespace detail
}  // namespace armilla
