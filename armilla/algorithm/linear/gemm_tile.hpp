// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>

namespace armilla::detail {

template <class T>
concept multiplied_number = std::same_as<T, float> || std::same_as<T, double>;

/// A part of a matrix in memory, row by row; `stride` elements from a row to the next.
template <class T>
struct dense_rows {
  T* first;
  std::size_t stride;
};

/// c += alpha a b, for m x k cells of `a`, k x n of `b`. Budget: what the processor's vectors multiply, from packed blocks that
/// stay in the caches. Instantiated for each `multiplied_number`, float and double. Throws bad_alloc where there is no room for a
/// block. Paper: Goto, van de Geijn, Anatomy of high-performance matrix multiplication.
template <class T>  // without a constraint: g++ and clang++ give constrained functions different names
void add_product(std::size_t m, std::size_t n, std::size_t k, T alpha, dense_rows<const T> a, dense_rows<const T> b,
                 dense_rows<T> c);

}  // namespace armilla::detail
