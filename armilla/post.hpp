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

/// Lets other threads run functions on a rank: threads of TBB or OpenMP, of an RPC server, of a user interface.
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
/// **Where.** The function runs in a fiber on the rank's thread, so it may do everything that the rank's own code may, even
/// wait. Functions that one thread posts start in the order in which it posted them.
///
/// **When.** The function runs when the rank polls or waits inside Armilla (`am::poll`, `fence`, `get`, ...). A rank that
/// sleeps there is woken. A rank that computes runs it at its next poll. The end of the session waits for functions posted
/// before.
///
/// **Result.** `post` returns a `std::future`. Any thread but the rank's own may wait for it. On the rank's thread, `get` would
/// block the rank that has to run the function. `get` rethrows what the function throws. The future's destructor does not wait.
///
/// **Errors.** `post` does not block: it throws `limit_error` if 4,096 functions that were posted to the rank have not ended.
/// Throws `usage_error` if the job has not begun or has ended.
///
/// **Cost.** Two allocations, a few atomic operations, and a system call if the rank sleeps. Threads that post do not wait for
/// each other.
///
/// **Stalls.** Armilla reports a job in which all ranks wait for each other. If only a post can end a wait, keep an
/// `am::outside_event` (armilla/poll.hpp) alive on the rank during the wait.
namespace armilla {
namespace detail {

/// A function without parameters that can be moved to the rank.
template <class F>
concept postable = std::move_constructible<std::decay_t<F>> && std::invocable<std::decay_t<F>&>;

}  // namespace detail

/// A handle of a rank of this process, for other threads. Construct it on the rank, and copy it to the threads. It may outlive
/// the job.
///
/// It is needed if ranks are threads (`ARMILLA_FABRIC=threads`). If they are processes, the function `am::post` suffices.
class rank_executor {
 public:
  /// Creates a handle of the calling rank. Throws `usage_error` on a thread that is not a rank's own.
  rank_executor();

  /// Runs `f()` on the rank. Returns a future of its result.
  template <detail::postable F>
  auto post(F&& f) const -> std::future<std::invoke_result_t<std::decay_t<F>&>>;

  /// Runs `f(arguments...)` on rank `to` of the job: this rank makes the `am::call`. Returns a future of its result.
  template <class F, class... A>
  auto post(rank_t to, F f, A... arguments) const;

 private:
  std::shared_ptr<detail::posted_work> work_;
};

/// Runs `f()` on the rank of this process. Returns a future of its result. Throws `usage_error` if ranks are threads: use a
/// `rank_executor`.
template <detail::postable F>
auto post(F&& f) -> std::future<std::invoke_result_t<std::decay_t<F>&>>;

/// Runs `f(arguments...)` on rank `to`: the rank of this process makes the `am::call`. Returns a future of its result.
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
    } catch (const detail::passing&) {
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
