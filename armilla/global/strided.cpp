// SPDX-License-Identifier: Apache-2.0
#include "armilla/strided.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/error.hpp"
#include "armilla/global/remote_memory.hpp"

namespace armilla::detail {
namespace {

/// A part as loops over runs of bytes that are contiguous on both sides.
struct runs {
  explicit runs(const strided_core& s) : dimensions(s.dimensions), bytes(s.element) {
    while (dimensions > 0 && s.local[dimensions - 1] == std::int64_t(bytes) && s.global[dimensions - 1] == std::int64_t(bytes))
      bytes *= s.extent[--dimensions];
    for (int d = 0; d < s.dimensions; ++d) elements = bounded_product(elements, s.extent[d]);
  }

  int dimensions;  ///< around one run
  std::uint64_t bytes;
  std::uint64_t elements = 1;
};

/// One dimension: so many steps, so far apart.
struct steps {
  std::size_t count;
  std::int64_t local, global;
};
steps dimension(const strided_core& s, int d) { return d < 0 ? steps{1, 0, 0} : steps{s.extent[d], s.local[d], s.global[d]}; }

// Calls `plane(l, g)` with the distances of each place that the outermost `dimensions` of `s` lead to; no extent is 0. A counter
// for each dimension, not a recursion: the compiler would unroll that, with all that `plane` does.
template <class Plane>
void for_planes(const strided_core& s, int dimensions, Plane&& plane) {
  std::size_t at[strided_core::most] = {};
  std::int64_t l = 0, g = 0;
  for (int d = 0; d >= 0;) {
    plane(l, g);
    for (d = dimensions - 1; d >= 0; --d) {
      l += s.local[d], g += s.global[d];
      if (++at[d] < s.extent[d]) break;
      l -= s.local[d] * std::int64_t(at[d]), g -= s.global[d] * std::int64_t(at[d]);
      at[d] = 0;
    }
  }
}

// Calls `row(local, distance, bytes)` for every run.
template <class Row>
void for_rows(const strided_core& s, const runs& r, std::byte* local, Row&& row) {
  for_planes(s, r.dimensions, [&](std::int64_t l, std::int64_t g) { row(local + l, g, r.bytes); });
}

// The two innermost loops over short runs, by tiles: where one side goes along its lines and the other across them, as in a
// transposition, both use what they have fetched. `copy(local, global)` moves one run; its length is a constant there.
template <class Copy>
[[gnu::always_inline]] inline void copy_plane(std::byte* local, std::byte* global, const steps& outer, const steps& inner,
                                              Copy&& copy) {
  constexpr std::size_t tile = 16;
  for (std::size_t i0 = 0; i0 < outer.count; i0 += tile)
    for (std::size_t j0 = 0; j0 < inner.count; j0 += tile) {
      const std::size_t rows = std::min(tile, outer.count - i0), columns = std::min(tile, inner.count - j0);
      for (std::size_t i = 0; i < rows; ++i) {
        std::byte* l = local + std::int64_t(i0 + i) * outer.local + std::int64_t(j0) * inner.local;
        std::byte* g = global + std::int64_t(i0 + i) * outer.global + std::int64_t(j0) * inner.global;
        for (std::size_t j = 0; j < columns; ++j, l += inner.local, g += inner.global) copy(l, g);
      }
    }
}

template <bool Writes, std::size_t Bytes>
void copy_short(const strided_core& s, int dimensions, std::byte* local, std::byte* global) {
  for_planes(s, dimensions - 2, [&](std::int64_t l, std::int64_t g) {
    copy_plane(local + l, global + g, dimension(s, dimensions - 2), dimension(s, dimensions - 1),
               [](std::byte* mine, std::byte* there) { std::memcpy(Writes ? there : mine, Writes ? mine : there, Bytes); });
  });
}

template <bool Writes>
void copy_mapped(const strided_core& s, const runs& r, std::byte* local, std::byte* global) {
  switch (r.bytes) {
    case 1: return copy_short<Writes, 1>(s, r.dimensions, local, global);
    case 2: return copy_short<Writes, 2>(s, r.dimensions, local, global);
    case 4: return copy_short<Writes, 4>(s, r.dimensions, local, global);
    case 8: return copy_short<Writes, 8>(s, r.dimensions, local, global);
    case 16: return copy_short<Writes, 16>(s, r.dimensions, local, global);
    case 32: return copy_short<Writes, 32>(s, r.dimensions, local, global);
    default:
      for_rows(s, r, local, [global](std::byte* mine, std::int64_t distance, std::uint64_t bytes) {
        std::memcpy(Writes ? global + distance : mine, Writes ? mine : global + distance, bytes);
      });
  }
}

void count_moved(bool writes, remote_group group, std::uint64_t bytes) {
  counters& count = *current->count;
  ++(!writes ? count.gets : group == remote_group::split ? count.puts : count.stores);
  (!writes ? count.get_bytes : group == remote_group::split ? count.put_bytes : count.store_bytes) += bytes;
}

}  // namespace

void copy_strided(bool writes, std::byte* local, global_address at, const strided_core& s, remote_group group,
                  const char* operation) {
  count_call();
  const std::uint8_t rights = writes ? may_write : may_read;
  std::byte* const base = reach(at, {operation, s.element, s.alignment, rights});
  rank_memory& m = memory_of(*current);
  const runs r(s);
  require_own_memory(local, r.elements, s.element, operation);
  count_moved(writes, group, r.elements * s.element);
  if (r.elements == 0) return;
  if ((m.opened && at.rank() != m.self.rank) || (checked && base != nullptr))
    for_rows(s, r, local, [&](std::byte*, std::int64_t distance, std::uint64_t bytes) {
      reach(at.plus(distance), {operation, bytes, s.alignment, rights});
    });
  if (base != nullptr) return writes ? copy_mapped<true>(s, r, local, base) : copy_mapped<false>(s, r, local, base);
  remote_transfer t(m, at, writes, group, operation);
  for_rows(s, r, local, [&](std::byte* l, std::int64_t distance, std::uint64_t bytes) { t.add(l, distance, bytes); });
  t.finish();
}

void copy_indexed(bool writes, std::byte* local, global_address base, const std::size_t* indices, std::size_t n,
                  std::uint32_t element, std::uint32_t alignment, remote_group group, const char* operation) {
  if (n == 0) return;
  count_call();
  const std::uint8_t rights = writes ? may_write : may_read;
  const auto at = [&](std::size_t i) { return base.plus(std::int64_t(indices[i]) * element); };
  std::byte* p = reach(at(0), {operation, element, alignment, rights});
  rank_memory& m = memory_of(*current);
  count_moved(writes, group, std::uint64_t{n} * element);
  if (p == nullptr) {
    remote_transfer t(m, base, writes, group, operation);
    for (std::size_t i = 0; i < n; ++i) {
      if (m.opened) reach(at(i), {operation, element, alignment, rights});
      t.add(local + i * element, std::int64_t(indices[i]) * element, element);
    }
    return t.finish();
  }
  for (std::size_t i = 0; i < n; ++i) {
    p = reach(at(i), {operation, element, alignment, rights});
    if (writes)
      std::memcpy(p, local + i * element, element);
    else
      std::memcpy(local + i * element, p, element);
  }
}

void throw_lengths(const char* operation, std::size_t elements, std::size_t indices) {
  throw_usage(operation, fmt::format("{} elements, but {} indices; give one index for each element", elements, indices));
}

}  // namespace armilla::detail
