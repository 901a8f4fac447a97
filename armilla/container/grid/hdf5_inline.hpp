// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/hdf5_file.hpp"
#include "armilla/container/files/hdf5_record.hpp"
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
concept hdf5_container =
    hdf5_dimensions<X> != 0 && (is_hdf5_number<typename X::value_type> || hdf5_record<typename X::value_type>);

template <class X>
X hdf5_container_of(const hdf5_shape& s, const team& t, const made_at& at) {
  if constexpr (requires(X x) { x.extent(0); }) {
    typename X::point extents;
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = std::size_t(s.extent[d]);
    return X(extents, on(t, grid()), at);
  } else {
    return X(std::size_t(s.extent[0]), on(t, blocks()), at);
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

/// Calls f(piece) for pieces of `part` in its order, each of at most `most` elements, until one returns false. It splits the
/// first dimension whose slabs are short enough, and goes through those before it one by one. Returns whether all were true.
template <std::size_t N, class F>
bool each_piece_of(const hdf5_part& part, std::uint64_t most, F f) {
  std::size_t split = 0;
  std::uint64_t slab = 1;  // elements with one index in dimension `split` and those before it
  for (std::size_t d = 1; d < N; ++d) slab *= part.count[d];
  for (; split + 1 < N && slab > most; ++split) slab /= part.count[split + 1];
  const std::uint64_t step = std::max<std::uint64_t>(1, most / slab);
  std::uint64_t before = 1;
  for (std::size_t d = 0; d < split; ++d) before *= part.count[d];
  for (std::uint64_t k = 0; k < before; ++k)
    for (std::uint64_t first = 0; first < part.count[split]; first += step) {
      hdf5_part piece = part;
      std::uint64_t rest = k;
      for (std::size_t d = split; d-- > 0; rest /= part.count[d]) piece.first[d] += rest % part.count[d], piece.count[d] = 1;
      piece.first[split] += first, piece.count[split] = std::min(step, part.count[split] - first);
      piece.room = piece.count;
      if (!f(piece)) return false;
    }
  return true;
}

/// Reads elements that are not numbers, some at a time.
template <class X>
void read_hdf5_records(X& made, hdf5_input& file, const hdf5_layout<typename X::value_type>& layout) {
  constexpr std::uint64_t enough = std::uint64_t(16) << 20;
  constexpr std::size_t n = hdf5_dimensions<X>;
  const std::uint64_t bytes = layout.bytes();
  std::vector<std::byte> room;
  with_hdf5_part(made, [&](const hdf5_part& part, auto* to) {
    each_piece_of<n>(part, std::max<std::uint64_t>(1, enough / bytes), [&](const hdf5_part& piece) {
      std::uint64_t count = 1;
      for (std::size_t d = 0; d < n; ++d) count *= piece.count[d];
      room.resize(std::size_t(count * bytes));
      if (!file.read(piece, layout.nodes, room.data())) return false;
      for (std::uint64_t k = 0; k < count; ++k) {
        std::uint64_t place = 0, stride = 1, rest = k;
        for (std::size_t d = n; d-- > 0; rest /= piece.count[d], stride *= part.room[d])
          place += (rest % piece.count[d] + piece.first[d] - part.first[d]) * stride;
        layout.take(to[place], room.data() + k * bytes);
      }
      file.free_texts(layout.nodes, count, room.data());
      return true;
    });
  });
}

template <class X>
using hdf5_layout_of = typename hdf5_layout_choice<typename X::value_type>::type;

/// Calls f(index, first, n) for this rank's elements: n that follow each other in the order of indices and in memory.
template <class X, class F>
void each_hdf5_run(const X& x, F f) {
  if constexpr (requires { x.extent(0); }) {
    const auto extents = hdf5_extents(x);
    each_row_of_block(x, [&](const std::array<std::size_t, 3>& cell, auto row) {
      std::uint64_t at = 0;
      for (std::size_t d = 0; d < extents.size(); ++d) at = at * extents[d] + cell[3 - extents.size() + d];
      f(at, row.data(), row.size());
    });
  } else {
    const auto mine = x.local();
    for (std::size_t k = 0, n = 0; k < mine.size(); k += n) {
      const std::size_t first = x.index_of_local(k);
      for (n = 1; k + n < mine.size() && x.index_of_local(k + n) == first + n;) ++n;
      f(first, mine.data() + k, n);
    }
  }
}

template <class X>
void add_hdf5_dataset(hdf5_output& to, const std::string& name, const X& x, const std::vector<hdf5_value>& attributes,
                      hdf5_layout_of<X>& layout) {
  if constexpr (is_hdf5_number<typename X::value_type>) {
    to.add(name, hdf5_type_of<typename X::value_type>(), hdf5_extents(x), attributes);
  } else {
    failure why;
    try {
      each_hdf5_run(x, [&](std::uint64_t, const auto* from, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) layout.measure(from[k]);
      });
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    to.add(name, layout.nodes, hdf5_extents(x), attributes, why);
  }
}

template <class X>
void write_hdf5_parts(hdf5_output& to, std::size_t dataset, const X& x, [[maybe_unused]] const hdf5_layout_of<X>& layout) {
  [[maybe_unused]] std::vector<std::byte> element;
  if constexpr (!is_hdf5_number<typename X::value_type>) element.resize(std::size_t(layout.bytes()));
  each_hdf5_run(x, [&](std::uint64_t at, const auto* from, std::size_t n) {
    if constexpr (is_hdf5_number<typename X::value_type>) {
      to.write(dataset, at, from, n);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        layout.put(from[k], element.data());
        to.write(dataset, at + k, element.data(), 1);  // which gathers them
      }
    }
  });
}

}  // namespace armilla::detail
