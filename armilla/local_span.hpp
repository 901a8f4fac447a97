// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <version>
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

#include "armilla/container/place/dimension.hpp"

namespace armilla {

/// Elements in memory of this rank at equal distances in each of N dimensions: a column, a tile, the own cells of a matrix.
///
/// It refers to the elements, as a `std::span` does. It converts to `std::mdspan` where the standard library has that.
///
///     double corner = tile(0, 0);
///     std::ranges::sort(column);          // one dimension: begin() and end(), too
template <class T, std::size_t N>
class local_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr local_span(T* first, const std::array<std::size_t, N>& extents, const std::array<std::ptrdiff_t, N>& strides) noexcept
      : first_(first), extents_(extents), strides_(strides) {}

  /// Returns a pointer to the first element.
  constexpr T* data() const noexcept { return first_; }
  /// Returns the number of elements in dimension `d`. Throws `usage_error` if there is no such dimension.
  constexpr std::size_t extent(std::size_t d) const { return extents_[detail::dimension_below(N, d)]; }
  /// Returns the distance from one element to the next in dimension `d`, in elements. Throws `usage_error` if there is no such
  /// dimension.
  constexpr std::ptrdiff_t stride(std::size_t d) const { return strides_[detail::dimension_below(N, d)]; }
  /// Returns the number of elements.
  constexpr std::size_t size() const noexcept {
    std::size_t all = 1;
    for (const std::size_t n : extents_) all *= n;
    return all;
  }
  constexpr bool empty() const noexcept { return size() == 0; }

  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) == N)
  constexpr T& operator()(I... i) const noexcept {
    std::ptrdiff_t at = 0;
    std::size_t d = 0;
    ((at += std::ptrdiff_t(i) * strides_[d++]), ...);
    return first_[at];
  }
  constexpr T& operator[](std::size_t i) const noexcept
    requires(N == 1)
  {
    return first_[std::ptrdiff_t(i) * strides_[0]];
  }

  /// A random-access iterator, for one dimension.
  class iterator {
   public:
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;

    constexpr iterator() = default;
    constexpr iterator(T* first, std::ptrdiff_t step, std::ptrdiff_t i) noexcept : first_(first), step_(step), i_(i) {}
    constexpr T& operator*() const noexcept { return first_[i_ * step_]; }
    constexpr T* operator->() const noexcept { return &**this; }
    constexpr T& operator[](std::ptrdiff_t k) const noexcept { return first_[(i_ + k) * step_]; }
    constexpr iterator& operator++() noexcept { return *this += 1; }
    constexpr iterator& operator--() noexcept { return *this -= 1; }
    constexpr iterator operator++(int) noexcept { return *this += 1, *this - 1; }
    constexpr iterator operator--(int) noexcept { return *this -= 1, *this + 1; }
    constexpr iterator& operator+=(std::ptrdiff_t k) noexcept {
      i_ += k;
      return *this;
    }
    constexpr iterator& operator-=(std::ptrdiff_t k) noexcept { return *this += -k; }
    friend constexpr iterator operator+(iterator i, std::ptrdiff_t k) noexcept { return i += k; }
    friend constexpr iterator operator+(std::ptrdiff_t k, iterator i) noexcept { return i += k; }
    friend constexpr iterator operator-(iterator i, std::ptrdiff_t k) noexcept { return i -= k; }
    friend constexpr std::ptrdiff_t operator-(const iterator& a, const iterator& b) noexcept { return a.i_ - b.i_; }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.i_ == b.i_; }
    friend constexpr std::strong_ordering operator<=>(const iterator& a, const iterator& b) noexcept { return a.i_ <=> b.i_; }

   private:
    T* first_ = nullptr;
    std::ptrdiff_t step_ = 0, i_ = 0;
  };
  constexpr iterator begin() const noexcept
    requires(N == 1)
  {
    return {first_, strides_[0], 0};
  }
  constexpr iterator end() const noexcept
    requires(N == 1)
  {
    return {first_, strides_[0], std::ptrdiff_t(extents_[0])};
  }

#ifdef __cpp_lib_mdspan
  constexpr operator std::mdspan<T, std::dextents<std::size_t, N>, std::layout_stride>() const {
    using shape = std::dextents<std::size_t, N>;
    return {first_, std::layout_stride::mapping<shape>(shape(extents_), strides_)};
  }
#endif

 private:
  T* first_;
  std::array<std::size_t, N> extents_;
  std::array<std::ptrdiff_t, N> strides_;
};

}  // namespace armilla
