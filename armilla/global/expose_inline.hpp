// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "armilla/wire/signature.hpp"

// How containers expose what a rank has of them.
namespace armilla {

class exposure;

namespace detail {

struct exposed_record;

/// What an exposure needs beside its record, and ends with it.
struct exposure_help {
  virtual ~exposure_help() = default;
};

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
  static void set_help(exposure& of, std::unique_ptr<exposure_help> help) noexcept;
};

}  // namespace detail
}  // namespace armilla
