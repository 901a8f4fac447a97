// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <type_traits>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/future_inline.hpp"

namespace armilla {

/// The result of a two-way operation, which may not have arrived yet.
///
///     am::future<int> f = am::call(1, [] { return 42; });
///     const int n = f.get();                                        // waits; other calls run meanwhile
///     am::future<int> twice = am::call(1, [] { return 21; }).then([](int k) { return 2 * k; });
///
/// A future belongs to the rank that made the call. It is movable, and its value can be taken once. To wait for several, see
/// armilla/when_all.hpp; coroutines `co_await` it (armilla/task.hpp).
///
/// **When it is ready.** When the reply has been received, which happens inside the library's calls: `get`, `wait`, `poll`,
/// fences, barriers and others that wait.
///
/// **Destruction.** If a future is destroyed before its value is taken, the called function still runs, and its value is
/// discarded. An error is not discarded: the next fence throws it, as it throws errors of one-way calls. Only `rank_lost` errors
/// are discarded.
///
/// **Errors.** An empty future throws `usage_error` from every function but `valid`.
///
/// **Cost.** No allocation for values of up to 40 bytes.
template <class T>
class future {
 public:
  using value_type = T;

  /// Creates an empty future.
  future() noexcept = default;
  future(future&& other) noexcept : op_(std::exchange(other.op_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      drop();
      op_ = std::exchange(other.op_, nullptr);
    }
    return *this;
  }
  ~future() {
    if (op_ != nullptr) [[unlikely]]
      drop();
  }

  /// Waits, and returns the value. The future is empty afterwards.
  ///
  /// Throws `remote_error`, with rank, type and text, if the called function threw. Throws `usage_error` if another fiber takes
  /// the value during the wait, by `get`, `then` or `co_await`.
  ARMILLA_NO_DANGLING T get();

  /// Waits until the value has arrived. In the meantime, calls of other ranks and other fibers run.
  ///
  /// A called function that waits becomes a fiber. Several fibers may wait for one future. The wait also ends if another fiber
  /// takes the value (`get` then throws `usage_error`), or assigns another future to this one (`get` then waits for that one).
  void wait() const {
    detail::pending_op& c = checked("future::wait");
    if (c.state == detail::pending_op::state_t::pending) detail::wait_for_reply(c, 0, "future::wait");
  }

  /// Waits for at most `span`, and returns whether the value has arrived. Returns at once if the duration is negative or NaN.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> span) const {
    detail::pending_op& c = checked("future::wait_for");
    return detail::wait_for_reply(c, detail::deadline_after(span), "future::wait_for");
  }

  /// Calls `f(value)` when the value has arrived, or `f()` for a `future<void>`, and returns a future of its result.
  ///
  /// `f` runs at once if the value has arrived, otherwise when the rank receives the reply. Like a called function that must run
  /// to completion, it must not wait. If `f` returns a future, the result is a future of that one's value. If this future fails,
  /// `f` does not run, and the result fails with the same error. Cost: one allocation.
  template <class F>
  auto then(F f);

  /// Returns whether `get` would return at once. It receives no messages, so a loop over `ready()` must call `poll()`.
  bool ready() const { return checked("future::ready").state != detail::pending_op::state_t::pending; }

  /// Returns whether the future is not empty: false after `get`, `then` and a move from it.
  bool valid() const noexcept { return op_ != nullptr; }

 private:
  friend struct detail::future_access;
  explicit future(detail::pending_op* c) noexcept : op_(c) {}

  detail::pending_op& checked(const char* operation) const {
    if (op_ == nullptr) [[unlikely]]
      detail::throw_empty_future(operation);
    return *op_;
  }

  [[gnu::noinline]] void drop() noexcept;

  detail::pending_op* op_ = nullptr;
};

/// Returns a future that is ready, with `value`.
template <class T>
future<std::decay_t<T>> make_future(T&& value);

/// Returns a `future<void>` that is ready.
inline future<void> make_future();

// ---- Implementation only below ----

template <class T>
ARMILLA_NO_DANGLING inline T future<T>::get() {
  do wait();
  while (checked("future::get").state == detail::pending_op::state_t::pending);
  detail::pending_op* c = std::exchange(op_, nullptr);
  if (c->state == detail::pending_op::state_t::failed) [[unlikely]]
    detail::rethrow_and_give_back(c);
  struct returner {
    detail::pending_op* c;
    ~returner() {
      c->template destroy<detail::stored<T>>();
      detail::current_head->out->pending.give_back(c);
    }
  } at_end{c};
  if constexpr (!std::is_void_v<T>) return std::move(c->template value<T>());
}

template <class T>
void future<T>::drop() noexcept {
  if (op_ == nullptr || detail::current_head == nullptr) return;
  if (op_->if_dropped == detail::pending_op::dropped::waits && op_->state == detail::pending_op::state_t::pending)
    detail::await_dropped(*op_);
  if (op_->state == detail::pending_op::state_t::ready) op_->template destroy<detail::stored<T>>();
  if (op_->state == detail::pending_op::state_t::failed) detail::drop_failed(op_);
  if (op_->next_step != nullptr) detail::wake_waiting(*op_);
  detail::settle_deferred(*op_);  // of a coroutine that is destroyed while it waits
  detail::current_head->out->pending.give_back(op_);
  op_ = nullptr;
}

template <class T>
template <class F>
auto future<T>::then(F f) {
  detail::require_function(f, "future::then");
  using R = typename detail::flattened<typename detail::then_result<T, F>::type>::type;
  auto promised = detail::promise<R>::make("future::then");
  future<R> result = promised.get_future();
  promised.waits_for(*this);
  detail::when_filled(std::move(*this),
                      [to = detail::late_op(promised.target), f = std::move(f)](detail::pending_op* filled) mutable {
                        struct sink {
                          detail::late_op to;
                          F& f;
                          void fail(std::exception_ptr reason) { to.fail(std::move(reason)); }
                          void take(detail::stored<T>&& value) {
                            detail::fill(to, [&]() -> decltype(auto) {
                              if constexpr (std::is_void_v<T>)
                                return f();
                              else
                                return f(std::move(value));
                            });
                          }
                        };
                        detail::consume<T>(filled, sink{to, f});
                      });
  return result;
}

template <class T>
future<std::decay_t<T>> make_future(T&& value) {
  auto p = detail::promise<std::decay_t<T>>::make("make_future");
  p.target->template store<std::decay_t<T>>(std::forward<T>(value));
  p.target->complete(detail::pending_op::state_t::ready);
  return p.get_future();
}
inline future<void> make_future() {
  auto p = detail::promise<void>::make("make_future");
  p.target->store<detail::no_value>();
  p.target->complete(detail::pending_op::state_t::ready);
  return p.get_future();
}

}  // namespace armilla
