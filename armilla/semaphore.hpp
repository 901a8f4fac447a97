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

/// Counts what fibers of one rank may take: `acquire` takes one and waits while there is none, `release` gives some.
///
/// Those that wait are served in the order in which they came; what is released goes to them first. Cost: some 1 ns where none
/// waits, no allocation.
class semaphore {
 public:
  /// Errors, here and of `release`: usage_error for a count of 2^63 or more, which was a negative number.
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
  /// Takes one if there is one now. False: there is none.
  bool try_acquire() noexcept {
    if (count_ == 0) return false;
    --count_;
    return true;
  }
  /// Waits for `span` at most; whether it took one.
  template <detail::time_span Duration>
  bool try_acquire_for(Duration span) {
    return try_acquire() || acquire_until(detail::deadline_after(span));
  }
  /// Gives `more`, to those that wait first, in their order. It does not wait.
  void release(std::uint64_t more = 1) {
    if (detail::looks_negative(more)) [[unlikely]]
      detail::throw_negative_count("semaphore::release", more);
    for (; more != 0 && !waiting_.empty(); --more) waiting_.wake_one();
    count_ += more;
  }
  /// What could be taken now.
  std::uint64_t available() const noexcept { return count_; }

 private:
  [[gnu::noinline]] void acquire_slowly();
  bool acquire_until(std::uint64_t deadline_ns);

  std::uint64_t count_;  // 0 while a fiber waits
  detail::wait_list waiting_;
};

/// Opens when it has been counted down to nothing, and stays open. For fibers of one rank.
class latch {
 public:
  /// Errors: usage_error for a count of 2^63 or more, which was a negative number.
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

  /// Errors: usage_error for more than is left.
  void count_down(std::uint64_t n = 1) {
    if (n > left_) [[unlikely]]
      throw_too_many(n);
    left_ -= n;
    if (left_ == 0) waiting_.wake_all();
  }
  /// Whether it is open.
  bool try_wait() const noexcept { return left_ == 0; }
  /// Waits until it is open.
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
