// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "armilla/base/core/check.hpp"

namespace armilla::detail {

#if ARMILLA_CHECKED

/// What this rank has begun by one-way calls about a container's elements, and no fence of this rank has completed since. A part
/// of the container in the checked library alone.
class order_check {
 public:
  /// A one-way call to the container, or to one of its elements.
  void begin();
  void begin(std::size_t element);
  /// A two-way call follows earlier calls to its element: they are complete when its result is there.
  void settle(std::size_t element) const;
  /// This rank's elements are about to be read. usage_error if a barrier follows one of these calls: a fence was meant.
  void require_no_barrier(const char* operation) const;
  /// An element is about to be read or written directly. usage_error if one of these calls changes it.
  void require_complete(std::size_t element, const char* operation) const;

 private:
  struct calls;
  std::shared_ptr<calls> calls_;
};

#else

/// The same without checks: takes no memory and no time.
class order_check {
 public:
  constexpr void begin() noexcept {}
  constexpr void begin(std::size_t) noexcept {}
  constexpr void settle(std::size_t) const noexcept {}
  constexpr void require_no_barrier(const char*) const noexcept {}
  constexpr void require_complete(std::size_t, const char*) const noexcept {}
};

#endif

}  // namespace armilla::detail
