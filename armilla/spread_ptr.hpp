// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global_ptr.hpp"

namespace armilla {

/// A global pointer whose arithmetic goes from rank to rank: `p + 1` is the same offset on the next rank, and after the last rank
/// the next element on rank 0.
///
/// For memory that all ranks have at the same offset: that of a `spread_array` or a `per_rank` variable. Access is as by a
/// `global_ptr`. Cost of `p + n`: one division.
///
///     am::spread_array<double> x(1000);
///     am::spread_ptr<double> p = x.begin();
///     *(p + 3) = 2.5;                              // x[3]
///
/// Paper: Split-C, spread pointers.
template <class T>
class spread_ptr {
 public:
  using element_type = T;

  constexpr spread_ptr() noexcept = default;
  constexpr explicit spread_ptr(const global_ptr<T>& p) noexcept : p_(p) {}
  constexpr operator const global_ptr<T>&() const noexcept { return p_; }  // NOLINT(google-explicit-constructor): it is one
  /// Returns the global pointer to the element.
  constexpr const global_ptr<T>& global() const noexcept { return p_; }

  /// Returns the rank that stores the element.
  constexpr rank_t rank() const noexcept { return p_.rank(); }
  /// Returns a plain pointer to the element, or null if it is not mapped.
  T* local() const { return p_.local(); }
  constexpr explicit operator bool() const noexcept { return bool(p_); }

  global_ref<T> operator*() const noexcept { return *p_; }
  global_ref<T> operator[](std::ptrdiff_t n) const { return *p_.spread(n); }

  // clang-format off
  spread_ptr& operator+=(std::ptrdiff_t n) { p_ = p_.spread(n); return *this; }
  spread_ptr& operator-=(std::ptrdiff_t n) { return *this += -n; }
  spread_ptr& operator++() { return *this += 1; }
  spread_ptr& operator--() { return *this += -1; }
  spread_ptr operator++(int) { spread_ptr old = *this; ++*this; return old; }
  spread_ptr operator--(int) { spread_ptr old = *this; --*this; return old; }
  friend spread_ptr operator+(spread_ptr p, std::ptrdiff_t n) { return p += n; }
  friend spread_ptr operator+(std::ptrdiff_t n, spread_ptr p) { return p += n; }
  friend spread_ptr operator-(spread_ptr p, std::ptrdiff_t n) { return p += -n; }
  // clang-format on
  friend std::ptrdiff_t operator-(const spread_ptr& a, const spread_ptr& b) {
    const std::int64_t ranks = detail::head_here("spread_ptr").world_size;
    const std::int64_t rows = std::int64_t(a.p_.address().offset - b.p_.address().offset) / std::int64_t(sizeof(T));
    return rows * ranks + a.rank() - b.rank();
  }

  friend constexpr bool operator==(const spread_ptr&, const spread_ptr&) noexcept = default;
  /// Orders pointers as the arithmetic does.
  friend constexpr std::strong_ordering operator<=>(const spread_ptr& a, const spread_ptr& b) noexcept {
    if (a.p_.address().offset != b.p_.address().offset) return a.p_.address().offset <=> b.p_.address().offset;
    return a.rank() <=> b.rank();
  }

 private:
  global_ptr<T> p_;
};

}  // namespace armilla
