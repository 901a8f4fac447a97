// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/fiber/spawn_inline.hpp"

/// Fibers: threads of a rank, which take turns on its one core.
///
/// Use them to wait for several things at once without callbacks. A switch costs some nanoseconds, and happens only where a fiber
/// waits. So between two waits a fiber has the rank's memory to itself, and needs no lock. For loops whose iterations wait, see
/// `parfor`; for many thousands of waits, coroutines (armilla/task.hpp), which need no stack.
///
///     am::fiber<int> f = am::spawn([](int n) { return am::call(1, [](int k) { return k + 1; }, n).get(); }, 41);
///     // ... other work; f runs when this fiber waits ...
///     const int n = f.join();
namespace armilla {

/// A fiber that `spawn` started. It belongs to the rank that started it, and moves.
template <class R>
class fiber {
 public:
  fiber() noexcept = default;
  fiber(fiber&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  fiber& operator=(fiber&& other) noexcept {
    if (this != &other) {
      detach();
      record_ = std::exchange(other.record_, nullptr);
    }
    return *this;
  }
  ~fiber() { detach(); }

  /// Returns whether this is a fiber that was neither joined nor detached.
  bool joinable() const noexcept { return record_ != nullptr; }
  /// Returns whether `join` would return at once.
  bool ready() const { return checked("fiber::ready").ended; }

  /// Waits for the end of the fiber, and leaves its result for `join`. Only one fiber may wait for another.
  void wait() const {
    detail::fiber_record& f = checked("fiber::wait");
    detail::scheduler_here("fiber::wait").join(f);
  }

  /// Waits for the end of the fiber, and returns its result or throws what it threw. Other fibers run meanwhile.
  R join() {
    detail::fiber_record& f = checked("fiber::join");
    detail::scheduler& all = detail::scheduler_here("fiber::join");
    all.join(f);
    record_ = nullptr;
    struct releaser {
      detail::scheduler& all;
      detail::fiber_record& f;
      ~releaser() { all.release(f); }
    } at_end{all, f};
    if (f.error != nullptr) [[unlikely]]
      std::rethrow_exception(std::exchange(f.error, nullptr));
    if constexpr (!std::is_void_v<R>) return detail::fiber_slot<R>::take(f);
  }

  /// Lets the fiber run by itself. Its result is discarded; the next fence throws on every rank what it throws, as for a one-way
  /// call. The job ends only when it has ended. The destructor does the same.
  void detach() noexcept {
    detail::fiber_record* const f = std::exchange(record_, nullptr);
    if (f == nullptr || detail::current_head == nullptr || detail::current_head->fibers == nullptr) return;
    if (!f->ended) {
      f->detached = true;
      return;
    }
    if (f->error != nullptr)
      detail::current_head->fibers->lose_error(std::exchange(f->error, nullptr));
    else if constexpr (!std::is_void_v<R>)
      detail::fiber_slot<R>::destroy(*f);
    detail::current_head->fibers->release(*f);
  }

 private:
  template <class F, class... A>
  friend auto spawn(F&& f, A&&... arguments);
  explicit fiber(detail::fiber_record& record) noexcept : record_(&record) {}
  detail::fiber_record& checked(const char* operation) const {
    if (record_ == nullptr) [[unlikely]]
      detail::throw_no_fiber(operation);
    return *record_;
  }

  detail::fiber_record* record_ = nullptr;
};

/// Starts a fiber that runs `f(arguments...)`, of which it owns copies. It begins when the caller waits, not before.
///
/// The stack comes from a pool (ARMILLA_STACK, 256 KiB by default, of which only what is used takes memory). A fiber that a
/// called function starts counts as part of that function for the fence. Throws `limit_error` if the system has no memory for a
/// stack; `usage_error` for a null function pointer. Cost: about 30 ns, with its end and join; no allocation if the pool has a
/// stack.
///
/// Paper: MRPC, section 2 (spawn); MPC++ (threads).
template <class F, class... A>
auto spawn(F&& f, A&&... arguments) {
  using R = std::invoke_result_t<std::decay_t<F>&, std::decay_t<A>...>;
  static_assert(!std::is_reference_v<R>, "armilla: a fiber returns a value, as the reference could outlive what it names");
  detail::scheduler& all = detail::scheduler_here("spawn");
  detail::require_function(f, "spawn");
  detail::fiber_record& record = detail::make_fiber<R>(all, std::forward<F>(f), std::forward<A>(arguments)...);
  all.start(record);
  return fiber<R>(record);
}

/// Lets other fibers of this rank run, and receives messages. Returns when it is the caller's turn again.
inline void yield() { detail::scheduler_here("yield").yield("yield"); }

namespace detail {

void sleep_until(std::uint64_t deadline);
}

/// Waits for at least `span`; other fibers run meanwhile. `std::this_thread::sleep_for` would stop the rank. A span that is
/// negative or not a number returns at once, an infinite one never.
template <detail::time_span Duration>
void sleep_for(Duration span) {
  detail::sleep_until(detail::deadline_after(span));
}

}  // namespace armilla
