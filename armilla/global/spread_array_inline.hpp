// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/spread_ptr.hpp"

// What the templates of spread_array.hpp are made of.
namespace armilla {
namespace detail {

/// Memory at the same place of every rank's segment. Made and given back by all ranks together.
class spread_storage {
 public:
  spread_storage() = default;
  spread_storage(std::uint64_t bytes, std::uint64_t alignment);
  spread_storage(spread_storage&& other) noexcept : begin_(std::exchange(other.begin_, {})), exceptions_(other.exceptions_) {}
  spread_storage& operator=(spread_storage&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(exceptions_, other.exceptions_);
    return *this;
  }
  ~spread_storage();

  global_address begin() const noexcept { return begin_; }  ///< on this rank
  void before_filling(std::uint64_t bytes) const noexcept;  ///< this rank fills the first `bytes` of its block next
  void meet() const;                                        ///< a barrier

 private:
  global_address begin_;
  int exceptions_ = 0;
};

/// A number that a move leaves at zero.
struct left_at_zero {
  left_at_zero(std::size_t n = 0) noexcept : value(n) {}
  left_at_zero(left_at_zero&& other) noexcept : value(std::exchange(other.value, 0)) {}
  left_at_zero& operator=(left_at_zero&& other) noexcept {
    value = std::exchange(other.value, 0);
    return *this;
  }
  operator std::size_t() const noexcept { return value; }
  std::size_t value;
};

[[noreturn, gnu::cold]] void throw_index(std::size_t i, std::size_t size);
[[noreturn, gnu::cold]] void throw_blocks(std::size_t block);

/// Divides by a number that stays the same: a multiplication and a shift in place of the processor's division.
///
/// With 2^(l-1) < d <= 2^l and m = floor(2^(63+l) / d) + 1, m * d exceeds 2^(63+l) by at most 2^l. So for n < 2^63 the error of
/// n * m / 2^(63+l) is less than 1/d, and its floor is n / d (Granlund and Montgomery, 1994).
class reciprocal {
  __extension__ using wide = unsigned __int128;

 public:
  constexpr explicit reciprocal(std::uint64_t d) noexcept
      : shift_(64 - std::countl_zero(d - 1)), factor_(std::uint64_t((wide(1) << (63 + shift_)) / d) + 1) {}

  /// n / d, for n below 2^63.
  constexpr std::uint64_t quotient(std::uint64_t n) const noexcept {
    return std::uint64_t(wide(n + n) * factor_ >> 64) >> shift_;
  }

 private:
  int shift_;
  std::uint64_t factor_;
};

/// What `n` elements in blocks of `block` take on each of `ranks` ranks. Throws limit_error if no segment can hold it, which a
/// negative number given for a size always leads to.
std::uint64_t spread_bytes(std::size_t n, std::size_t block, std::size_t ranks, std::size_t element);

}  // namespace detail
}  // namespace armilla
