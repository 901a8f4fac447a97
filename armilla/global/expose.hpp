// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/global/global_ptr.hpp"
#include "armilla/wire/signature.hpp"

/// Data that guests of the job see: programs that look into it from outside, <armilla/guest/exposed.hpp>, and Python.
namespace armilla {

namespace detail {
struct exposure_access;
struct exposed_record;

/// What an exposure needs beside its record, and ends with it.
struct exposure_help {
  virtual ~exposure_help() = default;
};
}  // namespace detail

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

namespace detail {

/// How containers expose what this rank has of them.
struct exposed_shape {
  static constexpr std::size_t most = 4;
  std::size_t dimensions = 1;
  std::array<std::size_t, most> shape{}, extent{}, origin{};
  std::array<std::ptrdiff_t, most> stride{};
  std::size_t block = 1, turn = 1;  ///< as in exposed_record
};

struct exposure_access {
  struct element {
    const char* type;
    std::uint64_t hash;
    std::size_t bytes;
  };
  template <class T>
  static constexpr element element_of = {signature<T()>::text, signature<void(T)>::hash, sizeof(T)};
  static exposure make(std::string_view name, const element& type, const exposed_shape& shape, const void* first);
  static exposed_record& record(const exposure& of) noexcept;
  static void set_help(exposure& of, std::unique_ptr<exposure_help> help) noexcept { of.help_ = std::move(help); }
};

}  // namespace detail

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
