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

/// Exposes data of a rank to attached clients: programs that use armilla/exposed.hpp, and Python.
///
///     am::global_ptr<double> p = am::allocate<double>(100);
///     const am::exposure shown = am::expose("temperature", std::span(p.local(), 100));
///
/// For containers see armilla/expose_container.hpp.
namespace armilla {

/// The exposure of data: while it lives, attached clients see them under their name. It moves.
class [[nodiscard]] exposure {
 public:
  exposure() noexcept = default;
  exposure(exposure&& other) noexcept : record_(std::exchange(other.record_, {})), help_(std::move(other.help_)) {}
  exposure& operator=(exposure&& other) noexcept {
    std::swap(record_, other.record_);
    std::swap(help_, other.help_);
    return *this;
  }
  /// Ends the exposure. It waits for nothing: a client that is reading continues.
  ~exposure();

 private:
  friend struct detail::exposure_access;
  global_ptr<std::byte> record_;
  std::unique_ptr<detail::exposure_help> help_;
};

/// Exposes `mine`, memory of this rank's segment, under `name`, for this rank only.
///
/// The memory must live as long as the result. Sends nothing, and costs nothing later. Throws `usage_error` if the rank exposes
/// the name already, if the name has no letters or more than 127, or if `mine` is not in its segment.
template <class T>
  requires std::is_trivially_copyable_v<T>
exposure expose(std::string_view name, std::span<T> mine) {
  detail::exposed_shape all;
  all.shape[0] = all.extent[0] = all.block = mine.size();
  all.stride[0] = 1;
  return detail::exposure_access::make(name, detail::exposure_access::element_of<std::remove_const_t<T>>, all, mine.data());
}

}  // namespace armilla
