// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/container/files/npy_file.hpp"
#include "armilla/fence.hpp"
#include "armilla/matrix.hpp"
#include "armilla/vector.hpp"

/// Reads files of `numpy.save` (.npy) into containers, and writes containers to such files.
///
///     auto x = am::read_npy<am::vector<double>>("x.npy");       // a file of one dimension
///     auto m = am::read_npy<am::matrix<float, 3>>("m.npy");     // of as many dimensions as the matrix has
///     am::write_npy("y.npy", m);                                // numpy.load("y.npy") is the whole matrix
///
/// All members of the team call these functions. Elements are numbers, `bool` or `std::complex`, and have the type of the file:
/// only the byte order is converted. Files are read in C order and in Fortran order, and written in C order.
///
/// **Errors.** Throws `usage_error` on all members for a file that cannot be read or written, is not a NumPy file, or has a
/// different type of elements or number of dimensions than the container.
///
/// **Cost.** Each rank reads and writes only its own elements. A file in Fortran order takes one read for each column of a
/// rank's block.
namespace armilla {

namespace detail {

template <class C>
inline constexpr bool is_matrix = false;
template <class T, std::size_t N>
inline constexpr bool is_matrix<matrix<T, N>> = true;

/// A container that a file of NumPy fills.
template <class C>
concept npy_container =
    npy_element<typename C::value_type> &&
    (is_matrix<C> || std::is_same_v<C, array<typename C::value_type>> || std::is_same_v<C, vector<typename C::value_type>>);

}  // namespace detail

/// Returns an `array` or `vector` with the elements of a file of one dimension.
template <detail::npy_container C>
  requires(!detail::is_matrix<C>)
C read_npy(const std::string& path, const distribution& d = {});

/// Returns a `matrix` with the elements of a file, which must have the same number of dimensions.
template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npy(const std::string& path, const grid& g = {}, const halo& h = {});

/// Writes all elements, in the order of their indices. Fences the team first. Replaces an existing file when all is written.
template <detail::npy_element T>
void write_npy(const std::string& path, const array<T>& x);
template <detail::npy_element T, std::size_t N>
void write_npy(const std::string& path, const matrix<T, N>& x);

// ---- Implementation only below ----

namespace detail {

/// f(index, place, n) for this rank's elements: n of them that are side by side in the file and in memory.
template <class F>
void each_run(const placement& where, rank_t me, F f) {
  for (std::size_t i = where.next_on(me, 0); i < where.size();) {
    const std::size_t end = where.run_at(i).end;
    f(i, where.place_of(i), end - i);
    i = end < where.size() ? where.next_on(me, end) : end;
  }
}

/// f(index, offset, n, stride) for this rank's cells: n of them that are side by side in the file.
template <std::size_t N, class F>
void each_run(const block_layout<N>& mine, const std::array<std::size_t, N>& extents, bool fortran, F f) {
  const auto turned = [fortran](std::array<std::size_t, N> point) {
    if (fortran) std::ranges::reverse(point);
    return point;
  };
  const box<N> cells{turned(mine.cells.begin), turned(mine.cells.end)};
  const auto all = turned(extents);
  const std::ptrdiff_t stride = mine.stride[fortran ? 0 : N - 1];
  std::uint64_t index = 0;
  std::ptrdiff_t offset = 0;
  std::size_t n = 0;
  each_row(cells, [&](const std::array<std::size_t, N>& row) {
    std::uint64_t at = 0;
    for (std::size_t d = 0; d < N; ++d) at = at * all[d] + row[d];
    const std::ptrdiff_t to = mine.offset_of_cell(turned(row));
    if (n != 0 && (at != index + n || to != offset + std::ptrdiff_t(n) * stride)) f(index, offset, n, stride), n = 0;
    if (n == 0) index = at, offset = to;
    n += cells.extent(N - 1);
  });
  if (n != 0) f(index, offset, n, stride);
}

}  // namespace detail

template <detail::npy_container C>
  requires(!detail::is_matrix<C>)
C read_npy(const std::string& path, const distribution& d) {
  detail::npy_file file(d.members(), path, detail::npy_type_of<typename C::value_type>(), 1);
  C x(std::size_t(file.header().shape[0]), d);
  detail::each_run(x.placement(), x.members().rank(),
                   [&](std::size_t index, std::size_t place, std::size_t n) { file.read(index, n, x.local().data() + place); });
  file.agree();
  return x;
}

template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npy(const std::string& path, const grid& g, const halo& h) {
  using T = typename C::value_type;
  typename C::point extents;
  detail::npy_file file(g.members(), path, detail::npy_type_of<T>(), extents.size());
  std::ranges::copy(file.header().shape, extents.begin());
  C x(extents, g, h);
  detail::each_run(x.plan().mine, extents, file.header().fortran,
                   [&](std::uint64_t index, std::ptrdiff_t offset, std::size_t n, std::ptrdiff_t stride) {
                     T* const to = x.first() + offset;
                     if (stride == 1) return file.read(index, n, to);
                     const auto column = std::make_unique_for_overwrite<T[]>(n);
                     file.read(index, n, column.get());
                     for (std::size_t k = 0; k < n; ++k) to[std::ptrdiff_t(k) * stride] = column[k];
                   });
  file.agree();
  return x;
}

template <detail::npy_element T>
void write_npy(const std::string& path, const array<T>& x) {
  x.members().fence();
  detail::npy_writer file(x.members(), path, detail::npy_type_of<T>(), {x.size()});
  detail::each_run(x.placement(), x.members().rank(),
                   [&](std::size_t index, std::size_t place, std::size_t n) { file.write(index, n, x.local().data() + place); });
  file.publish();
}

template <detail::npy_element T, std::size_t N>
void write_npy(const std::string& path, const matrix<T, N>& x) {
  x.members().fence();
  std::array<std::size_t, N> extents;
  for (std::size_t d = 0; d < N; ++d) extents[d] = x.extent(d);
  detail::npy_writer file(x.members(), path, detail::npy_type_of<T>(), {extents.begin(), extents.end()});
  detail::each_run(x.plan().mine, extents, false, [&](std::uint64_t index, std::ptrdiff_t offset, std::size_t n, std::ptrdiff_t) {
    file.write(index, n, x.first() + offset);
  });
  file.publish();
}

}  // namespace armilla
