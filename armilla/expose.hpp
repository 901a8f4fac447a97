// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/global/expose_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Data that guests of the job see: programs that look into it from outside, <armilla/exposed.hpp>, and Python.
namespace armilla {

/// While it lives, guests see the data under its name. It moves.
class [[nodiscard]] exposure {
 public:
  exposure() noexcept = default;
  exposure(exposure&& other) noexcept : record_(std::exchange(other.record_, {})), help_(std::move(other.help_)) {}
  exposure& operator=(exposure&& other) noexcept {
    std::swap(record_, other.record_);
    std::swap(help_, other.help_);
    return *this;
  }
  /// Nothing is waited for: a guest that is reading goes on.
  ~exposure();

 private:
  friend struct detail::exposure_access;
  global_ptr<std::byte> record_;
  std::unique_ptr<detail::exposure_help> help_;
};

/// Guests see `mine`, memory of this rank's segment, under the name, on this rank alone. It must live as long as what is
/// returned. No message, and nothing that costs later. Errors: usage_error if the rank exposes the name already, if the name has
/// no letters or more than 127, or if `mine` does not lie in its segment.
template <class T>
  requires std::is_trivially_copyable_v<T>
exposure expose(std::string_view name, std::span<T> mine) {
  detail::exposed_shape all;
  all.shape[0] = all.extent[0] = all.block = mine.size();
  all.stride[0] = 1;
  return detail::exposure_access::make(name, detail::exposure_access::element_of<std::remove_const_t<T>>, all, mine.data());
}

}  // namespace armilla
