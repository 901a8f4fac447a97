// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "armilla/base/values/extents.hpp"
#include "armilla/dialect/splitc_pointer.hpp"
#include "armilla/spread_array.hpp"

// What the templates of splitc_array.hpp are made of.
namespace armilla::splitc::detail {

[[noreturn, gnu::cold]] void throw_index(std::size_t i, std::size_t extent);

template <int Spread, int Together>
struct spread_shape {
  std::array<std::size_t, std::size_t(Spread + Together)> n;

  /// The greatest number where it is more than a number can be: no memory holds that.
  std::size_t product(int first, int last) const noexcept {
    std::size_t all = 1;
    for (int d = first; d < last; ++d) all = armilla::detail::bounded_product(all, n[std::size_t(d)]);
    return all;
  }
  std::size_t elements() const noexcept { return product(0, Spread + Together); }
  std::size_t spread() const noexcept { return product(0, Spread); }
  std::size_t together() const noexcept { return product(Spread, Spread + Together); }
};

/// `A[p]`, `A[p][k]` where N dimensions, which are stored together, have no index yet.
template <class T, int N>
class block_part {
 public:
  block_part(const global_ptr<T>& at, const std::size_t* n) noexcept : at_(at), n_(n) {}

  auto operator[](std::size_t i) const {
    if (i >= n_[0]) [[unlikely]]
      throw_index(i, n_[0]);
    std::size_t step = 1;
    for (int d = 1; d < N; ++d) step *= n_[d];
    const global_ptr<T> there = at_ + std::ptrdiff_t(i * step);
    if constexpr (N == 1)
      return place<T>(there);
    else
      return block_part<T, N - 1>(there, n_ + 1);
  }
  operator global_pointer<T>() const noexcept { return at_; }  // NOLINT(google-explicit-constructor): as an array is a pointer
  template <class U>
    requires std::is_void_v<U>
  operator global_pointer<U>() const noexcept {  // NOLINT(google-explicit-constructor)
    return global_pointer<T>(at_);
  }
  friend global_pointer<T> operator+(const block_part& b, std::ptrdiff_t k) { return global_pointer<T>(b.at_) + k; }

 private:
  global_ptr<T> at_;
  const std::size_t* n_;
};

/// `X[i]` where some of the spread dimensions have no index yet.
template <class T, int Spread, int Together, int Given = 0>
class spread_part {
 public:
  spread_part(const armilla::spread_array<T>& a, const spread_shape<Spread, Together>& shape, std::size_t before) noexcept
      : a_(a), shape_(shape), before_(before) {}

  auto operator[](std::size_t i) const {
    if (i >= shape_.n[std::size_t(Given)]) [[unlikely]]
      throw_index(i, shape_.n[std::size_t(Given)]);
    const std::size_t line = before_ * shape_.n[std::size_t(Given)] + i;
    if constexpr (Given + 1 < Spread)
      return spread_part<T, Spread, Together, Given + 1>(a_, shape_, line);
    else if constexpr (Together == 0)
      return place<T>(a_.ptr(line));
    else
      return block_part<T, Together>(a_.ptr(line * shape_.together()), shape_.n.data() + Spread);
  }

 private:
  const armilla::spread_array<T>& a_;
  const spread_shape<Spread, Together>& shape_;
  std::size_t before_;
};

}  // namespace armilla::splitc::detail
