// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <coroutine>
#include <type_traits>
#include <utility>

#include "armilla/fiber/task_inline.hpp"
#include "armilla/fiber/wait_list.hpp"
#include "armilla/spawn.hpp"
#include "armilla/sync_var.hpp"

namespace armilla {

/// A coroutine that runs on its rank's thread, between its fibers.
///
/// Use it when a very large number of operations wait at once: a waiting task occupies a heap frame of a few hundred bytes
/// instead of a stack. Otherwise a fiber (armilla/spawn.hpp) is simpler. Tasks await futures, sync_vars, fibers and other tasks.
/// A blocking wait works as well, and then stops the fiber on which the coroutine happens to run.
///
///     am::task<double> norm(am::rank_t r) {
///       const double x = co_await am::call(r, [] { return position(); });
///       co_return x * x;
///     }
///
/// Another coroutine says `co_await norm(1)`. Elsewhere:
///
///     const double d = norm(1).get();                      // in a fiber, or in the rank's own code
///     am::fiber<double> f = am::spawn_task(norm(1));       // concurrently with the caller
///
/// **When it runs.** Nothing runs until the task is awaited, started or asked for its value. It runs on the stack that begins it
/// up to its first wait. Each time the awaited result arrives, it resumes on a pooled fiber.
///
/// **Lifetime.** A task belongs to one rank, is movable, and can be awaited once. Objects passed by reference must outlive it.
/// Destroying a task that has not begun does nothing; a task that has begun continues to its end.
///
/// **Errors.** `get` and `co_await` throw what it throws. If the task was destroyed, the next fence does.
///
/// **Cost.** One allocation, its frame; about 30 ns for each wait that has to wait. A chain of tasks that await each other uses
/// the stack of one task. If g++ compiles it without optimization, it uses the stack of all of them.
template <class T = void>
class [[nodiscard]] task {
  static_assert(!std::is_reference_v<T>, "armilla: a task returns a value, as the reference could outlive what it names");

 public:
  using promise_type = detail::task_promise<T>;
  using value_type = T;

  task() noexcept = default;
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      drop();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~task() { drop(); }

  /// Returns whether the task is not empty.
  bool valid() const noexcept { return frame_ != nullptr; }
  /// Returns whether `get` would return at once.
  bool ready() const { return state("task::ready").done(); }

  /// Runs the task now up to its first wait; it continues while the caller and others wait. Does nothing if it has begun.
  void start() {
    promise_type& p = state("task::start");
    if (p.started()) return;
    p.begin(detail::scheduler_here("task::start"));
    frame_.resume();
  }

  /// Starts the task if it has not begun, waits for its end, and returns its value or throws what it threw. The task is empty
  /// afterwards.
  T get() {
    start();
    promise_type& p = state("task::get");
    if (!p.done()) p.wait_for_end(detail::scheduler_here("task::get"), "task::get");
    const task mine(std::move(*this));
    return mine.frame_.promise().take();
  }

  /// Awaits the task: starts it if it has not begun; the coroutine that awaits continues at its end. The task is empty
  /// afterwards.
  auto operator co_await() {
    static_cast<void>(state("co_await task"));
    return awaiter(std::move(*this));
  }

 private:
  friend promise_type;
  using frame = std::coroutine_handle<promise_type>;
  explicit task(frame f) noexcept : frame_(f) {}

  class awaiter {
   public:
    explicit awaiter(task&& awaited) noexcept : awaited_(std::move(awaited)) {}
    bool await_ready() const noexcept { return awaited_.frame_.promise().done(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
      promise_type& p = awaited_.frame_.promise();
      p.set_awaiting(caller);
      if (p.started()) return std::noop_coroutine();
      p.begin(*detail::current_head->fibers);
      return awaited_.frame_;
    }
    T await_resume() {
      const task mine(std::move(awaited_));
      return mine.frame_.promise().take();
    }

   private:
    task awaited_;
  };

  promise_type& state(const char* operation) const {
    if (frame_ == nullptr) [[unlikely]]
      detail::throw_no_task(operation);
    return frame_.promise();
  }
  void drop() noexcept {
    if (frame_ == nullptr) return;
    if (promise_type& p = frame_.promise(); p.started() && !p.done())
      p.abandon();
    else
      frame_.destroy();
    frame_ = nullptr;
  }

  frame frame_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

template <class T>
class sync_awaiter {
 public:
  explicit sync_awaiter(const sync_var<T>& v) noexcept : var_(v) {}
  bool await_ready() const noexcept { return var_.ready(); }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    me_.coroutine = caller.address();
    me_.counted = caused_by_body();
    sync_access::waiting(var_).push(me_);
  }
  decltype(auto) await_resume() const { return var_.read(); }

 private:
  const sync_var<T>& var_;
  waiter me_;
};

template <class R>
class fiber_awaiter {
 public:
  explicit fiber_awaiter(fiber<R>&& f) noexcept : awaited_(std::move(f)) {}
  bool await_ready() const { return awaited_.ready(); }
  void await_suspend(std::coroutine_handle<> caller) {
    spawn([this, caller] {
      awaited_.wait();
      caller.resume();
    });
  }
  R await_resume() { return awaited_.join(); }

 private:
  fiber<R> awaited_;
};

}  // namespace detail

/// Awaits a write to a `sync_var`.
template <class T>
auto operator co_await(const sync_var<T>& v) noexcept {
  return detail::sync_awaiter<T>(v);
}

/// Awaits the end of a fiber, and joins it.
template <class R>
auto operator co_await(fiber<R>&& f) noexcept {
  return detail::fiber_awaiter<R>(std::move(f));
}
template <class R>
auto operator co_await(fiber<R>& f) noexcept {
  return detail::fiber_awaiter<R>(std::move(f));
}

/// Returns a fiber that runs `t` to its end: to be joined, awaited or detached, as after `spawn`.
template <class T>
fiber<T> spawn_task(task<T> t) {
  return spawn([t = std::move(t)]() mutable { return t.get(); });
}

}  // namespace armilla
