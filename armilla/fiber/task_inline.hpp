// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "armilla/fiber/wait_list.hpp"

// What the templates of task.hpp are made of.
namespace armilla {

template <class T>
class task;

namespace detail {

/// What the promises of all tasks have in common. Started once, awaited once.
class task_state {
 public:
  task_state() noexcept = default;
  task_state(const task_state&) = delete;
  ~task_state() {
    if (error_ != nullptr) [[unlikely]]
      lose_error();
  }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  struct last_step {
    bool await_ready() const noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) const noexcept {
      return ended.promise().end(ended);
    }
    void await_resume() const noexcept {}
  };
  last_step final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  bool started() const noexcept { return started_; }
  bool done() const noexcept { return done_; }
  /// The caller resumes it next.
  void begin(scheduler& all) noexcept;
  void wait_for_end(scheduler& all, const char* what);
  /// The coroutine that goes on when this one ends.
  void set_awaiting(std::coroutine_handle<> who) noexcept { awaiting_ = who; }
  /// Its result is not wanted any more: its frame goes when it ends.
  void abandon() noexcept { abandoned_ = true; }

 protected:
  std::coroutine_handle<> end(std::coroutine_handle<> self) noexcept;
  void rethrow() {
    if (error_ != nullptr) [[unlikely]]
      std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  [[gnu::cold]] void lose_error() noexcept;

  bool started_ = false, done_ = false, abandoned_ = false, counted_ = false;
  std::coroutine_handle<> awaiting_;
  wait_list waiting_;
  std::exception_ptr error_;
};

template <class T>
class task_promise : public task_state {
 public:
  task<T> get_return_object() noexcept;
  template <class U = T>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  friend task_state;
  std::optional<T> value_;
};

template <>
class task_promise<void> : public task_state {
 public:
  task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() { rethrow(); }

 private:
  friend task_state;
};

[[noreturn, gnu::cold]] void throw_no_task(const char* operation);
/// Whether what the running fiber does is caused by a body.
inline bool caused_by_body() noexcept { return current_head->fibers->in_body_or_its_fibers(); }

}  // namespace detail
}  // namespace armilla
