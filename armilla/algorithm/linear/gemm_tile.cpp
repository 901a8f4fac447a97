// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/linear/gemm_tile.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

// Compiled once for each kind of processor, but those whose vectors cannot stand in an array.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "armilla/algorithm/linear/gemm_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace armilla::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_MAX_BYTES == 64
constexpr std::size_t tile_rows = 8;  // 24 sums in 32 registers
#else
constexpr std::size_t tile_rows = 4;  // 12 in 16
#endif
constexpr std::size_t tile_vectors = 3, depth = 256;

/// How the product of two numbers is cut: `columns` of b and `depth` rows stay in the second cache, `depth` of some rows of a in
/// the first.
template <class T>
struct cut {
  using tag = hn::ScalableTag<T>;
  static constexpr std::size_t lanes = hn::MaxLanes(tag());
  static constexpr std::size_t tile_columns = tile_vectors * lanes;
  static constexpr std::size_t columns = 3072 / sizeof(T) / tile_columns * tile_columns + tile_columns;
};

struct release {
  void operator()(void* p) const noexcept { std::free(p); }
};
template <class T>
std::unique_ptr<T[], release> aligned_room(std::size_t n) {
  void* const p = std::aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T[], release>(static_cast<T*>(p));
}

/// k rows and n columns of b, in strips of a tile's columns; zeros fill the last.
template <class T>
void pack_columns(const dense_rows<const T>& b, std::size_t k, std::size_t n, T* to) {
  constexpr std::size_t width = cut<T>::tile_columns;
  for (std::size_t j = 0; j < n; j += width) {
    const std::size_t some = std::min(width, n - j);
    for (std::size_t p = 0; p < k; ++p, to += width) {
      std::copy_n(b.first + p * b.stride + j, some, to);
      std::fill(to + some, to + width, T(0));
    }
  }
}
/// Up to a tile's rows of a, times alpha, column by column.
template <class T>
void pack_rows(const dense_rows<const T>& a, std::size_t m, std::size_t k, T alpha, T* to) {
  for (std::size_t r = 0; r < tile_rows; ++r)
    for (std::size_t p = 0; p < k; ++p) to[p * tile_rows + r] = r < m ? alpha * a.first[r * a.stride + p] : T(0);
}

/// One tile of c, all of whose sums are in registers.
template <class T>
void add_tile(std::size_t k, const T* a, const T* b, T* c, std::size_t stride) {
  const typename cut<T>::tag d;
  constexpr std::size_t lanes = cut<T>::lanes;
  using vec = hn::Vec<typename cut<T>::tag>;
  vec sums[tile_rows][tile_vectors];
  for (auto& row : sums)
    for (vec& v : row) v = hn::Zero(d);
  for (std::size_t p = 0; p < k; ++p, a += tile_rows, b += cut<T>::tile_columns) {
    const vec b0 = hn::Load(d, b), b1 = hn::Load(d, b + lanes), b2 = hn::Load(d, b + 2 * lanes);
    HWY_UNROLL(8)
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const vec x = hn::Set(d, a[r]);
      sums[r][0] = hn::MulAdd(x, b0, sums[r][0]);
      sums[r][1] = hn::MulAdd(x, b1, sums[r][1]);
      sums[r][2] = hn::MulAdd(x, b2, sums[r][2]);
    }
  }
  for (std::size_t r = 0; r < tile_rows; ++r)
    for (std::size_t v = 0; v < tile_vectors; ++v) {
      T* const at = c + r * stride + v * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, at), sums[r][v]), d, at);
    }
}
/// A tile that reaches over the border.
template <class T>
void add_part_of_tile(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, const dense_rows<T>& c) {
  T whole[tile_rows * cut<T>::tile_columns] = {};
  add_tile(k, a, b, whole, cut<T>::tile_columns);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t j = 0; j < n; ++j) c.first[r * c.stride + j] += whole[r * cut<T>::tile_columns + j];
}

template <class T>
void multiply(std::size_t m, std::size_t n, std::size_t k, T alpha, dense_rows<const T> a, dense_rows<const T> b,
              dense_rows<T> c) {
  constexpr std::size_t width = cut<T>::tile_columns;
  const auto columns = aligned_room<T>((std::min(n, cut<T>::columns) + width) * std::min(k, depth));
  const auto rows = aligned_room<T>(tile_rows * std::min(k, depth));
  for (std::size_t j = 0; j < n; j += cut<T>::columns)
    for (std::size_t p = 0; p < k; p += depth) {
      const std::size_t some = std::min(cut<T>::columns, n - j), deep = std::min(depth, k - p);
      pack_columns<T>({b.first + p * b.stride + j, b.stride}, deep, some, columns.get());
      for (std::size_t i = 0; i < m; i += tile_rows) {
        const std::size_t high = std::min(tile_rows, m - i);
        pack_rows<T>({a.first + i * a.stride + p, a.stride}, high, deep, alpha, rows.get());
        for (std::size_t s = 0; s < some; s += width) {
          const dense_rows<T> to{c.first + i * c.stride + j + s, c.stride};
          if (high == tile_rows && s + width <= some)
            add_tile(deep, rows.get(), columns.get() + s * deep, to.first, to.stride);
          else
            add_part_of_tile(high, std::min(width, some - s), deep, rows.get(), columns.get() + s * deep, to);
        }
      }
    }
}

void add_float(std::size_t m, std::size_t n, std::size_t k, float alpha, dense_rows<const float> a, dense_rows<const float> b,
               dense_rows<float> c) {
  multiply(m, n, k, alpha, a, b, c);
}
void add_double(std::size_t m, std::size_t n, std::size_t k, double alpha, dense_rows<const double> a, dense_rows<const double> b,
                dense_rows<double> c) {
  multiply(m, n, k, alpha, a, b, c);
}

}  // namespace armilla::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace armilla::detail {

HWY_EXPORT(add_float);
HWY_EXPORT(add_double);

template <>
void add_product(std::size_t m, std::size_t n, std::size_t k, float alpha, dense_rows<const float> a, dense_rows<const float> b,
                 dense_rows<float> c) {
  HWY_DYNAMIC_DISPATCH(add_float)(m, n, k, alpha, a, b, c);
}
template <>
void add_product(std::size_t m, std::size_t n, std::size_t k, double alpha, dense_rows<const double> a,
                 dense_rows<const double> b, dense_rows<double> c) {
  HWY_DYNAMIC_DISPATCH(add_double)(m, n, k, alpha, a, b, c);
}

}  // namespace armilla::detail
#endif
