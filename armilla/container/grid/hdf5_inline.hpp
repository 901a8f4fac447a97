// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "armilla/array.hpp"
#include "armilla/container/files/hdf5_file.hpp"
#include "armilla/distribution.hpp"
#include "armilla/matrix.hpp"
#include "armilla/vector.hpp"

/// Parts of containers as parts of datasets.
namespace armilla::detail {

/// 0: no container whose elements a dataset holds.
template <class X>
inline constexpr std::uint32_t hdf5_dimensions = 0;
template <class T>
inline constexpr std::uint32_t hdf5_dimensions<array<T>> = 1;
template <class T>
inline constexpr std::uint32_t hdf5_dimensions<vector<T>> = 1;
template <class T, std::size_t N>
inline constexpr std::uint32_t hdf5_dimensions<matrix<T, N>> = N;

template <class X>
concept hdf5_container = hdf5_dimensions<X> != 0 && is_hdf5_number<typename X::value_type>;

template <class X>
X hdf5_container_of(const hdf5_shape& s, const team& t) {
  if constexpr (requires(X x) { x.extent(0); }) {
    typename X::point extents;
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = std::size_t(s.extent[d]);
    return X(extents, on(t, grid()));
  } else {
    return X(std::size_t(s.extent[0]), on(t, blocks()));
  }
}

template <class X>
std::array<std::size_t, hdf5_dimensions<X>> hdf5_extents(const X& x) {
  std::array<std::size_t, hdf5_dimensions<X>> all;
  for (std::size_t d = 0; d < all.size(); ++d)
    if constexpr (requires { x.extent(0); })
      all[d] = x.extent(d);
    else
      all[d] = x.size();
  return all;
}

/// Calls f(cell, row) for each row of this rank's cells: the coordinates of its first cell in the matrix, and its cells.
template <class M, class F>
void each_row_of_block(M& m, F f) {
  constexpr std::size_t n = hdf5_dimensions<std::remove_const_t<M>>;
  const auto block = m.local();
  std::array<std::size_t, 3> begin{}, count{1, 1, 1};  // dimensions that the matrix does not have are in front
  for (std::size_t d = 0; d < n; ++d) begin[3 - n + d] = block.origin(d), count[3 - n + d] = block.extent(d);
  if (count[2] == 0) return;
  for (std::size_t i = 0; i < count[0]; ++i)
    for (std::size_t j = 0; j < count[1]; ++j) {
      const std::array<std::size_t, 3> cell{begin[0] + i, begin[1] + j, begin[2]};
      if constexpr (n == 1) f(cell, block.row());
      if constexpr (n == 2) f(cell, block.row(j));
      if constexpr (n == 3) f(cell, block.row(i, j));
    }
}

/// Calls f(part, to) with this rank's part of the dataset, if it has one, and where it lies in its memory.
template <class X, class F>
void with_hdf5_part(X& x, F f) {
  hdf5_part part;
  if constexpr (requires { x.extent(0); }) {
    constexpr std::size_t n = hdf5_dimensions<X>;
    const auto cells = x.local().cells();
    for (std::size_t d = 0; d < n; ++d) {
      part.first[d] = x.local().origin(d), part.count[d] = cells.extent(d);
      if (part.count[d] == 0) return;
      part.room[d] = d == 0 ? part.count[0] : std::uint64_t(cells.stride(d - 1)) / std::uint64_t(cells.stride(d));
    }
    f(part, cells.data());
  } else if (const auto mine = x.local(); !mine.empty()) {
    part.first[0] = x.index_of_local(0), part.count[0] = part.room[0] = mine.size();
    f(part, mine.data());
  }
}

/// Elements that follow each other in the order of indices go in one piece.
template <class X>
void write_hdf5_parts(hdf5_output& to, std::size_t dataset, const X& x) {
  if constexpr (requires { x.extent(0); }) {
    const auto extents = hdf5_extents(x);
    each_row_of_block(x, [&](const std::array<std::size_t, 3>& cell, auto row) {
      std::uint64_t at = 0;
      for (std::size_t d = 0; d < extents.size(); ++d) at = at * extents[d] + cell[3 - extents.size() + d];
      to.write(dataset, at, row.data(), row.size());
    });
  } else {
    const auto mine = x.local();
    for (std::size_t k = 0, n = 0; k < mine.size(); k += n) {
      const std::size_t first = x.index_of_local(k);
      for (n = 1; k + n < mine.size() && x.index_of_local(k + n) == first + n;) ++n;
      to.write(dataset, first, mine.data() + k, n);
    }
  }
}

}  // namespace armilla::detail
