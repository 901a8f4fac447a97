// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/core/check.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/fiber/wait_list.hpp"

namespace armilla {
namespace detail {

[[noreturn, gnu::cold]] void throw_negative_count(const char* operation, std::uint64_t count);

}  // namespace detail

/// A count of what fibers of one rank may take: `acquire` takes one and waits while the count is 0, `release` adds some.
///
/// Use it to bound how many fibers do something at a time. Fibers that wait are served in the order in which they came. Cost:
/// about 1 ns if none waits, no allocation.
///
///     am::semaphore room(4);                             // four at a time
///     room.acquire();
///     room.release();
class semaphore {
 public:
  /// Creates a semaphore of `count`. `usage_error`, here and from `release`, for a count of 2^63 or more, which was a negative
  /// number.
  explicit constexpr semaphore(std::uint64_t count = 0) : count_(count) {
    if (detail::looks_negative(count)) [[unlikely]]
      detail::throw_negative_count("semaphore", count);
  }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore() {
    if (detail::checked && !waiting_.empty() && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("semaphore::~semaphore");
  }

  /// Takes one; waits while there is none.
  void acquire() {
    if (!try_acquire()) [[unlikely]]
      acquire_slowly();
  }
  /// Takes one if there is one, and returns whether it did.
  bool try_acquire() noexcept {
    if (count_ == 0) return false;
    --count_;
    return true;
  }
  /// Takes one, waits for it at most `span`, and returns whether it did.
  template <detail::time_span Duration>
  bool try_acquire_for(Duration span) {
    return try_acquire() || acquire_until(detail::deadline_after(span));
  }
  /// Adds `more`, first for fibers that wait, in their order. It does not wait.
  void release(std::uint64_t more = 1) {
    if (detail::looks_negative(more)) [[unlikely]]
      detail::throw_negative_count("semaphore::release", more);
    for (; more != 0 && !waiting_.empty(); --more) waiting_.wake_one();
    count_ += more;
  }
  /// Returns how many could be taken now.
  std::uint64_t available() const noexcept { return count_; }

 private:
  [[gnu::noinline]] void acquire_slowly();
  bool acquire_until(std::uint64_t deadline_ns);

  std::uint64_t count_;  // 0 while a fiber waits
  detail::wait_list waiting_;
};

/// A count that opens when it has been counted down to 0, and stays open. For fibers of one rank.
///
///     am::latch done(2);
///     for (int i = 0; i < 2; ++i) am::spawn([&] { done.count_down(); }).detach();
///     done.wait();
class latch {
 public:
  /// Creates a latch of `count`. Throws `usage_error` for a count of 2^63 or more, which was a negative number.
  explicit constexpr latch(std::uint64_t count) : left_(count) {
    if (detail::looks_negative(count)) [[unlikely]]
      detail::throw_negative_count("latch", count);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  ~latch() {
    if (detail::checked && !waiting_.empty() && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("latch::~latch");
  }

  /// Counts down by `n`. Throws `usage_error` if less is left.
  void count_down(std::uint64_t n = 1) {
    if (n > left_) [[unlikely]]
      throw_too_many(n);
    left_ -= n;
    if (left_ == 0) waiting_.wake_all();
  }
  /// Returns whether the latch is open.
  bool try_wait() const noexcept { return left_ == 0; }
  /// Waits until the latch is open.
  void wait() const {
    if (left_ != 0) wait_slowly();
  }
  /// Counts down by `n`, then waits.
  void arrive_and_wait(std::uint64_t n = 1) {
    count_down(n);
    wait();
  }

 private:
  [[gnu::noinline]] void wait_slowly() const;
  [[noreturn, gnu::cold]] void throw_too_many(std::uint64_t n) const;

  std::uint64_t left_;
  mutable detail::wait_list waiting_;
};

}  // namespace armilla
