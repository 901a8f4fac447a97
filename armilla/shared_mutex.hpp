// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla {
namespace detail {

struct lock_access;  // for reports

}

/// Lets any number of readers through, or one writer. For fibers of one rank. Works with std::shared_lock and std::unique_lock.
///
/// In the order in which they came: a reader that comes behind a waiting writer waits, too, so no writer starves. Readers that
/// wait side by side go on together. Cost and counting as for `mutex`. Errors: usage_error where a fiber unlocks what none
/// has locked, or a writer locks once more.
class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex() {
    if (detail::checked && (writer_ != nullptr || readers_ != 0) && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("shared_mutex::~shared_mutex");
  }

  void lock() {
    detail::context_head& self = detail::head_here("shared_mutex::lock");
    ++self.count->locks;
    if (writer_ != nullptr || readers_ != 0) [[unlikely]]
      return lock_slowly(self);
    writer_ = &self.fibers->running();
  }
  bool try_lock() {
    detail::context_head& self = detail::head_here("shared_mutex::try_lock");
    if (writer_ != nullptr || readers_ != 0) return false;
    ++self.count->locks;
    writer_ = &self.fibers->running();
    return true;
  }
  void unlock() {
    if (writer_ != &detail::scheduler_here("shared_mutex::unlock").running()) [[unlikely]]
      throw_not_locked("shared_mutex::unlock");
    writer_ = nullptr;
    if (!waiting_.empty()) [[unlikely]]
      hand_over();
  }

  void lock_shared() {
    detail::context_head& self = detail::head_here("shared_mutex::lock_shared");
    ++self.count->locks;
    if (writer_ != nullptr || !waiting_.empty()) [[unlikely]]
      return lock_shared_slowly(self);
    ++readers_;
  }
  bool try_lock_shared() {
    detail::context_head& self = detail::head_here("shared_mutex::try_lock_shared");
    if (writer_ != nullptr || !waiting_.empty()) return false;
    ++self.count->locks;
    ++readers_;
    return true;
  }
  void unlock_shared() {
    if (readers_ == 0) [[unlikely]]
      throw_not_locked("shared_mutex::unlock_shared");
    if (--readers_ == 0 && !waiting_.empty()) [[unlikely]]
      hand_over();
  }

 private:
  friend struct detail::lock_access;
  [[gnu::noinline]] void lock_slowly(detail::context_head& self);
  [[gnu::noinline]] void lock_shared_slowly(detail::context_head& self);
  [[gnu::noinline]] void hand_over();
  [[noreturn, gnu::cold]] static void throw_not_locked(const char* operation);

  detail::fiber_record* writer_ = nullptr;
  std::uint32_t readers_ = 0;
  detail::wait_list waiting_;
};

}  // namespace armilla
