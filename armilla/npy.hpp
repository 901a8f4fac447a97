// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/files/npy_file.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/fence.hpp"
#include "armilla/matrix.hpp"
#include "armilla/vector.hpp"

/// Reads files of `numpy.save` (.npy) and `numpy.savez` (.npz) into containers, and writes containers to such files.
///
///     auto x = am::read_npy<am::vector<double>>("x.npy");       // a file of one dimension
///     auto m = am::read_npy<am::matrix<float, 3>>("m.npy");     // of as many dimensions as the matrix has
///     am::write_npy("y.npy", m);                                // numpy.load("y.npy") is the whole matrix
///     auto y = am::read_npz<am::vector<double>>("run.npz", "y");  // numpy.load("run.npz")["y"]
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
C read_npy(const std::string& path, const distribution& d = {}, const made_at& at = std::source_location::current());

/// Returns a `matrix` with the elements of a file, which must have the same number of dimensions.
template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npy(const std::string& path, const grid& g = {}, const halo& h = {}, const made_at& at = std::source_location::current());

/// Writes all elements, in the order of their indices. Fences the team first. Replaces an existing file when all is written.
template <detail::npy_element T>
void write_npy(const std::string& path, const array<T>& x);
template <detail::npy_element T, std::size_t N>
void write_npy(const std::string& path, const matrix<T, N>& x);

/// Reads the array `name` from a file of `numpy.savez` or `numpy.savez_compressed` (.npz). Collective.
///
/// Throws `usage_error` on all members if the file has no such array, with the names of its arrays, and if the checksum is wrong.
/// Cost: each rank reads its own elements, and a share of all elements for the checksum. Each rank unpacks a compressed array up
/// to the last element that it needs.
template <detail::npy_container C>
  requires(!detail::is_matrix<C>)
C read_npz(const std::string& path, const std::string& name, const distribution& d = {},
           const made_at& at = std::source_location::current());
template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npz(const std::string& path, const std::string& name, const grid& g = {}, const halo& h = {},
           const made_at& at = std::source_location::current());

/// A container, and its name in a .npz file.
template <class C>
struct npz_array {
  std::string name;  ///< without ".npy"
  const C* values;   ///< the container; it must exist until it is written
  npz_array(std::string called, const C& of) : name(std::move(called)), values(&of) {}
};

/// Writes containers with names to one .npz file; `numpy.load(path)["x"]` reads them. Collective: all containers must be over
/// the same team.
///
///     am::write_npz("run.npz", am::npz_array("x", x), am::npz_array("heat", heat));
///
/// Fences the team first. Replaces an existing file when the new one is complete. Cost: the written file is read again, for
/// the checksums.
template <class... C>
  requires(sizeof...(C) > 0 && (detail::npy_container<C> && ...))
void write_npz(const std::string& path, const npz_array<C>&... arrays);

/// Does the same with compression. Each rank compresses a share of each array, for which it needs as much memory.
template <class... C>
  requires(sizeof...(C) > 0 && (detail::npy_container<C> && ...))
void write_npz_compressed(const std::string& path, const npz_array<C>&... arrays);

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

namespace detail {

template <npy_container C>
C read_npy_elements(npy_file& file, const distribution& d, const made_at& at) {
  C x(std::size_t(file.header().shape[0]), d, at);
  each_run(x.placement(), x.members().rank(),
           [&](std::size_t index, std::size_t place, std::size_t n) { file.read(index, n, x.local().data() + place); });
  file.end();
  return x;
}

template <npy_container C>
C read_npy_elements(npy_file& file, const grid& g, const halo& h, const made_at& at) {
  using T = typename C::value_type;
  typename C::point extents;
  std::ranges::copy(file.header().shape, extents.begin());
  C x(extents, g, h, at);
  each_run(x.plan().mine, extents, file.header().fortran,
           [&](std::uint64_t index, std::ptrdiff_t offset, std::size_t n, std::ptrdiff_t stride) {
             T* const to = x.first() + offset;
             if (stride == 1) return file.read(index, n, to);
             const auto column = std::make_unique_for_overwrite<T[]>(n);
             file.read(index, n, column.get());
             for (std::size_t k = 0; k < n; ++k) to[std::ptrdiff_t(k) * stride] = column[k];
           });
  file.end();
  return x;
}

template <npy_container C>
constexpr std::size_t npy_dimensions() {
  if constexpr (is_matrix<C>)
    return std::tuple_size_v<typename C::point>;
  else
    return 1;
}
template <npy_container C>
std::vector<std::uint64_t> npy_shape(const C& x) {
  std::vector<std::uint64_t> all;
  for (std::size_t d = 0; d < npy_dimensions<C>(); ++d)
    if constexpr (is_matrix<C>)
      all.push_back(x.extent(d));
    else
      all.push_back(x.size());
  return all;
}

template <npy_container C>
void write_npy_elements(npy_writer& file, std::size_t k, const C& x) {
  if constexpr (is_matrix<C>) {
    typename C::point extents;
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = x.extent(d);
    each_run(x.plan().mine, extents, false, [&](std::uint64_t index, std::ptrdiff_t offset, std::size_t n, std::ptrdiff_t) {
      file.write(k, index, n, x.first() + offset);
    });
  } else {
    each_run(x.placement(), x.members().rank(),
             [&](std::size_t index, std::size_t place, std::size_t n) { file.write(k, index, n, x.local().data() + place); });
  }
}

template <npy_container... C>
void write_arrays(const char* operation, const std::string& path, npy_writer::format as, const npz_array<C>&... arrays) {
  const team* const teams[] = {&arrays.values->members()...};
  require_team_of_file(operation, teams);
  teams[0]->fence();
  npy_writer file(operation, *teams[0], path, as);
  (file.add(arrays.name, npy_type_of<typename C::value_type>(), npy_shape(*arrays.values)), ...);
  file.open();
  std::size_t k = 0;
  (write_npy_elements(file, k++, *arrays.values), ...);
  file.publish();
}

}  // namespace detail

template <detail::npy_container C>
  requires(!detail::is_matrix<C>)
C read_npy(const std::string& path, const distribution& d, const made_at& at) {
  detail::npy_file file(d.members(), path, detail::npy_type_of<typename C::value_type>(), 1);
  return detail::read_npy_elements<C>(file, d, at);
}

template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npy(const std::string& path, const grid& g, const halo& h, const made_at& at) {
  detail::npy_file file(g.members(), path, detail::npy_type_of<typename C::value_type>(), detail::npy_dimensions<C>());
  return detail::read_npy_elements<C>(file, g, h, at);
}

template <detail::npy_container C>
  requires(!detail::is_matrix<C>)
C read_npz(const std::string& path, const std::string& name, const distribution& d, const made_at& at) {
  detail::npy_file file(d.members(), path, detail::npy_type_of<typename C::value_type>(), 1, &name);
  return detail::read_npy_elements<C>(file, d, at);
}

template <detail::npy_container C>
  requires detail::is_matrix<C>
C read_npz(const std::string& path, const std::string& name, const grid& g, const halo& h, const made_at& at) {
  detail::npy_file file(g.members(), path, detail::npy_type_of<typename C::value_type>(), detail::npy_dimensions<C>(), &name);
  return detail::read_npy_elements<C>(file, g, h, at);
}

template <detail::npy_element T>
void write_npy(const std::string& path, const array<T>& x) {
  detail::write_arrays("write_npy", path, detail::npy_writer::format::npy, npz_array("x", x));
}

template <detail::npy_element T, std::size_t N>
void write_npy(const std::string& path, const matrix<T, N>& x) {
  detail::write_arrays("write_npy", path, detail::npy_writer::format::npy, npz_array("x", x));
}

template <class... C>
  requires(sizeof...(C) > 0 && (detail::npy_container<C> && ...))
void write_npz(const std::string& path, const npz_array<C>&... arrays) {
  detail::write_arrays("write_npz", path, detail::npy_writer::format::npz, arrays...);
}

template <class... C>
  requires(sizeof...(C) > 0 && (detail::npy_container<C> && ...))
void write_npz_compressed(const std::string& path, const npz_array<C>&... arrays) {
  detail::write_arrays("write_npz_compressed", path, detail::npy_writer::format::npz_compressed, arrays...);
}

}  // namespace armilla
