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

/// A lock that any number of readers hold at a time, or one writer. For fibers of one rank.
///
/// It works with `std::shared_lock` and `std::unique_lock`. Fibers get it in the order in which they came: a reader that comes
/// after a waiting writer waits, too, so no writer starves. Readers that wait side by side continue together. Throws
/// `usage_error` if a fiber unlocks what none has locked, or if a writer locks again. Cost and statistics are those of `mutex`.
class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex() {
    if (detail::checked && (writer_ != nullptr || readers_ != 0) && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("shared_mutex::~shared_mutex");
  }

  /// Waits until neither a reader nor a writer holds it, and takes it as a writer.
  void lock() {
    detail::context_head& self = detail::head_here("shared_mutex::lock");
    ++self.count->locks;
    if (writer_ != nullptr || readers_ != 0) [[unlikely]]
      return lock_slowly(self);
    writer_ = &self.fibers->running();
  }
  /// Takes it as a writer if it is free, and returns whether it was.
  bool try_lock() {
    detail::context_head& self = detail::head_here("shared_mutex::try_lock");
    if (writer_ != nullptr || readers_ != 0) return false;
    ++self.count->locks;
    writer_ = &self.fibers->running();
    return true;
  }
  /// Releases it as a writer.
  void unlock() {
    if (writer_ != &detail::scheduler_here("shared_mutex::unlock").running()) [[unlikely]]
      throw_not_locked("shared_mutex::unlock");
    writer_ = nullptr;
    if (!waiting_.empty()) [[unlikely]]
      hand_over();
  }

  /// Waits until no writer holds it or waits for it, and takes it as a reader.
  void lock_shared() {
    detail::context_head& self = detail::head_here("shared_mutex::lock_shared");
    ++self.count->locks;
    if (writer_ != nullptr || !waiting_.empty()) [[unlikely]]
      return lock_shared_slowly(self);
    ++readers_;
  }
  /// Takes it as a reader if no writer holds it or waits, and returns whether it did.
  bool try_lock_shared() {
    detail::context_head& self = detail::head_here("shared_mutex::try_lock_shared");
    if (writer_ != nullptr || !waiting_.empty()) return false;
    ++self.count->locks;
    ++readers_;
    return true;
  }
  /// Releases it as a reader.
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
