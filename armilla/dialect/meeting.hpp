// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/semaphore.hpp"

namespace armilla::mpcpp {
namespace detail {
[[noreturn, gnu::cold]] void throw_no_threads(std::uint64_t count);
}

/// A barrier of `count` threads, of any ranks: none continues before all have arrived. It is stored on one rank; others arrive
/// by `invoke<&Barrier::arrive>(gp)`. It can be used again. Unlike armilla::barrier it is for threads, also for those that
/// calls started, and costs each of them a two-way call to its owner.
/// Paper: MPC++, section 3 (barrier at the level of MPC++).
class Barrier {
 public:
  /// Errors: usage_error for a barrier of 0 threads, or of a negative number.
  explicit Barrier(std::uint64_t count) : count_(count) {
    if (count == 0 || armilla::detail::looks_negative(count)) [[unlikely]]
      detail::throw_no_threads(count);
  }

  void arrive() {
    if (++here_ < count_) return go_on_.acquire();
    here_ = 0;
    go_on_.release(count_ - 1);
  }

 private:
  std::uint64_t count_;
  std::uint64_t here_ = 0;
  semaphore go_on_;
};

/// A Barrier to which each thread brings a value, and from which each takes the values of all, combined by `op` in the order
/// in which they arrived.
/// Paper: MPC++, section 3 (reduction at the level of MPC++).
template <class T, class Op>
class Reduction {
 public:
  /// Errors: as Barrier, and usage_error for an `op` that is null.
  explicit Reduction(std::uint64_t count, Op op = Op()) : count_(count), all_(count), op_(std::move(op)) {
    armilla::detail::require_function(op_, "Reduction");
  }

  T arrive(T value) {
    sum_ = here_ == 0 ? std::move(value) : op_(std::move(sum_), std::move(value));
    if (++here_ == count_) here_ = 0, result_ = sum_;
    all_.arrive();
    return result_;  // stays until all have come once more
  }

 private:
  std::uint64_t count_;
  std::uint64_t here_ = 0;
  Barrier all_;
  Op op_;
  T sum_{};
  T result_{};
};

}  // namespace armilla::mpcpp
