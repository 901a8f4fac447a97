// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/global_ptr.hpp"

/// Restricted access to memory, for jobs that run with ARMILLA_ACCESS=opened.
///
/// In such a job other ranks reach only the memory that its owner has opened for them. Every other access is an error that names
/// the owner. A rank's own memory needs no opening. In other jobs opening is allowed and changes nothing.
///
///     am::global_ptr<double> p = am::allocate<double>(100);
///     am::opened_memory open = am::open_memory(p, 100, am::access_rights::read_write);
///
/// Paper: the portals that the Split-C paper wants instead of handlers (sections 3 and 5).
namespace armilla {

/// What other ranks may do with memory that was opened.
enum class access_rights : std::uint8_t {
  read = detail::may_read,
  write = detail::may_write,
  read_write = detail::may_read | detail::may_write
};
constexpr access_rights operator|(access_rights a, access_rights b) noexcept {
  return access_rights(std::uint8_t(a) | std::uint8_t(b));
}

class opened_memory;
namespace detail {
opened_memory open_bytes(global_address at, std::size_t n, std::size_t size, access_rights rights);
}

/// An opening of memory: the memory is open while it lives. On the owner's thread only.
class [[nodiscard]] opened_memory {
 public:
  opened_memory() = default;
  opened_memory(opened_memory&& other) noexcept : index_(std::exchange(other.index_, none)) {}
  opened_memory& operator=(opened_memory&& other) noexcept {
    if (this != &other) {
      close();
      index_ = std::exchange(other.index_, none);
    }
    return *this;
  }
  ~opened_memory() { close(); }

  /// Closes the memory. An access that is in flight may still happen: call a barrier first.
  void close() noexcept;

 private:
  friend opened_memory detail::open_bytes(detail::global_address, std::size_t n, std::size_t size, access_rights);
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t index_ = none;
};

/// Opens `n` objects from `p` on, of this rank's memory, for what `rights` says. Up to 2048 openings at a time (`limit_error`).
/// Throws `usage_error` for memory of another rank, and for more objects than exist there.
template <class T>
opened_memory open_memory(const global_ptr<T>& p, std::size_t n, access_rights rights) {
  return detail::open_bytes(p.address(), n, sizeof(T), rights);
}

}  // namespace armilla
