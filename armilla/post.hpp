// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/call.hpp"
#include "armilla/rpc/posted_work.hpp"

/// Functions that other threads hand to a rank: threads of TBB or OpenMP, of an RPC server, of a user interface.
///
/// Armilla's operations belong to the thread of a rank. Another thread posts a function, and the rank runs it:
///
///     std::atomic<bool> ended = false;
///     const am::rank_executor here;                                    // made on the rank
///     std::thread other([here, &ended] {
///       std::future<int> mine = here.post([] { return am::rank(); });  // runs on the rank
///       std::future<int> twice = here.post(0, [](int x) { return 2 * x; }, 21);  // runs on rank 0
///       std::printf("rank %d: %d\n", mine.get(), twice.get());
///       ended = true;
///     });
///     while (!ended) am::poll();
///     other.join();
///
/// **Where it runs.** In a fiber on the rank's thread, so it may do everything that the rank's own code may, also wait. Functions
/// of one thread start in the order in which they were posted.
///
/// **When it runs.** When the rank polls or waits inside Armilla (`am::poll`, `fence`, `get`, ...). A rank that sleeps there is
/// woken. A rank that computes runs it at its next poll. The session's end waits for functions that were posted before.
///
/// **Result.** A `std::future`, which may be waited for on any thread but the rank's own: there `get` would stop the rank, which
/// is to run the function. What the function throws, `get` throws. The destructor of the future does not wait.
///
/// **Errors.** `limit_error` if 4,096 functions that were posted to the rank have not ended: `post` does not block. `usage_error`
/// if the job has not begun or has ended.
///
/// **Cost.** Two allocations, a few atomic operations, and a system call if the rank sleeps. A thread never waits for another one
/// that posts.
///
/// **Stalls.** Armilla reports a job in which all ranks wait for each other. If only a post can end a wait, hold an
/// `am::outside_event` (armilla/poll.hpp) on the rank meanwhile.
namespace armilla {
namespace detail {

template <class F>
concept postable = std::move_constructible<std::decay_t<F>> && std::invocable<std::decay_t<F>&>;

}  // namespace detail

/// Names a rank of this process to other threads. It is made on the rank, and is then copied to the threads. It may outlive the
/// job.
///
/// It is needed where ranks are threads (`ARMILLA_FABRIC=threads`); where they are processes, `am::post` does without.
class rank_executor {
 public:
  /// Names the calling rank. `usage_error` on a thread that is not a rank's own.
  rank_executor();

  /// Runs `f()` on the rank, and returns a future of its result.
  template <detail::postable F>
  auto post(F&& f) const -> std::future<std::invoke_result_t<std::decay_t<F>&>>;

  /// Runs `f(arguments...)` on rank `to` of the job, as `am::call` of this rank does, and returns a future of its result.
  template <class F, class... A>
  auto post(rank_t to, F f, A... arguments) const;

 private:
  std::shared_ptr<detail::posted_work> work_;
};

/// Runs `f()` on the rank of this process, and returns a future of its result. `usage_error` where ranks are threads: see
/// `rank_executor`.
template <detail::postable F>
auto post(F&& f) -> std::future<std::invoke_result_t<std::decay_t<F>&>>;

/// Runs `f(arguments...)` on rank `to`, as `am::call` of this process's rank does, and returns a future of its result.
template <class F, class... A>
auto post(rank_t to, F f, A... arguments);

// ---- Implementation only below ----

namespace detail {

template <class F>
class posted_function final : public posted_task {
 public:
  using result = std::invoke_result_t<F&>;
  explicit posted_function(F&& f) : f_(std::move(f)) {}
  explicit posted_function(const F& f) : f_(f) {}

  std::future<result> get_future() { return promise_.get_future(); }
  void run() noexcept override {
    try {
      if constexpr (std::is_void_v<result>) {
        f_();
        promise_.set_value();
      } else {
        promise_.set_value(f_());
      }
    } catch (...) { promise_.set_exception(std::current_exception()); }
  }

 private:
  F f_;
  std::promise<result> promise_;
};

template <class F>
auto post_to(posted_work& work, F&& f) {
  require_function(f, "post");
  auto task = std::make_unique<posted_function<std::decay_t<F>>>(std::forward<F>(f));
  auto result = task->get_future();
  std::unique_ptr<posted_task> any = std::move(task);
  if (const auto how = work.push(any); how != posted_work::outcome::posted) throw_not_posted(how);
  return result;
}

template <class F, class... A>
auto call_for(rank_t to, F f, A... arguments) {
  require_function(f, "post");
  return [to, f = std::move(f), ... arguments = std::move(arguments)]() mutable {
    return armilla::call(to, std::move(f), std::move(arguments)...).get();
  };
}

}  // namespace detail

template <detail::postable F>
auto rank_executor::post(F&& f) const -> std::future<std::invoke_result_t<std::decay_t<F>&>> {
  return detail::post_to(*work_, std::forward<F>(f));
}

template <class F, class... A>
auto rank_executor::post(rank_t to, F f, A... arguments) const {
  return detail::post_to(*work_, detail::call_for(to, std::move(f), std::move(arguments)...));
}

template <detail::postable F>
auto post(F&& f) -> std::future<std::invoke_result_t<std::decay_t<F>&>> {
  return detail::post_to(detail::posted_work_of_process(), std::forward<F>(f));
}

template <class F, class... A>
auto post(rank_t to, F f, A... arguments) {
  return detail::post_to(detail::posted_work_of_process(), detail::call_for(to, std::move(f), std::move(arguments)...));
}

}  // namespace armilla
