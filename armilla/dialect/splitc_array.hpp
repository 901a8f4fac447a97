// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <type_traits>

#include "armilla/dialect/splitc_array_inline.hpp"
#include "armilla/dialect/splitc_pointer.hpp"
#include "armilla/spread_array.hpp"

namespace armilla::splitc {

/// Split-C's spread array. Of the dimensions, the first `Spread` are distributed over the processors, row by row; the other
/// `Together` stay together in one memory.
///
///     double A[n]::;             spread_array<double> A(n);              // element i on processor i % PROCS
///     int B[PROCS]::[m];         spread_array<int, 1, 1> B(PROCS, m);    // one block of m on each
///     int X[v][w]::[q][r];       spread_array<int, 2, 2> X(v, w, q, r);  // tiles of q x r
///     A[i] = 1;  lx <<= B[p][k];  bulk_get(mine, &B[p][0], bytes);  int* tile = tolocal(X[i][j]);
///
/// Made and freed by all processors together; elements begin as zeros. Errors: limit_error if it does not fit,
/// usage_error for an index beyond the end of its dimension. Paper: MRPC, section 2 (spread arrays).
template <class T, int Spread = 1, int Together = 0>
class spread_array {
  static_assert(Spread >= 1 && Together >= 0, "armilla: at least one dimension of a spread array is spread");

 public:
  template <class... N>
    requires(sizeof...(N) == Spread + Together && (std::is_convertible_v<N, std::size_t> && ...))
  explicit spread_array(N... n) : shape_{std::size_t(n)...}, elements_(shape_.elements(), shape_.together()) {}

  auto operator[](std::size_t i) const { return detail::spread_part<T, Spread, Together>(elements_, shape_, 0)[i]; }
  /// What the array's name means where a spread pointer is wanted.
  operator spread_pointer<T>() const  // NOLINT(google-explicit-constructor): an array is a pointer to its beginning
    requires(Together == 0)
  {
    return spread_pointer<T>(global_pointer<T>(elements_.begin().global()));
  }
  friend spread_pointer<T> operator+(const spread_array& a, std::ptrdiff_t n)
    requires(Together == 0)
  {
    return spread_pointer<T>(a) + n;
  }

 private:
  detail::spread_shape<Spread, Together> shape_;
  armilla::spread_array<T> elements_;
};

/// A block of a spread array in this processor's memory; usage_error on another one.
template <class T, int N>
T* tolocal(const detail::block_part<T, N>& block) {
  return tolocal(global_pointer<T>(block));
}
/// The processor of a block.
template <class T, int N>
int toproc(const detail::block_part<T, N>& block) {
  return toproc(global_pointer<T>(block));
}

}  // namespace armilla::splitc
