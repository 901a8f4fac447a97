// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/strided.hpp"

#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/global/far.hpp"

namespace armilla::detail {
namespace {

// Calls `row(local, distance, bytes)` for every run of elements that is contiguous on both sides.
template <class Row>
void for_rows(const strided_core& s, std::byte* local, Row&& row) {
  int inner = s.dimensions;  // dimensions from here on lie densely on both sides
  std::uint64_t run = s.element;
  while (inner > 0 && s.local[inner - 1] == std::int64_t(run) && s.global[inner - 1] == std::int64_t(run))
    run *= s.extent[--inner];
  std::uint64_t rows = 1;
  for (int d = 0; d < s.dimensions; ++d)
    if (s.extent[d] == 0) return;
  for (int d = 0; d < inner; ++d) rows *= s.extent[d];
  for (std::uint64_t i = 0; i < rows; ++i) {
    std::int64_t l = 0, g = 0;
    std::uint64_t rest = i;
    for (int d = inner - 1; d >= 0; --d) {
      l += std::int64_t(rest % s.extent[d]) * s.local[d];
      g += std::int64_t(rest % s.extent[d]) * s.global[d];
      rest /= s.extent[d];
    }
    row(local + l, g, run);
  }
}

}  // namespace

void copy_strided(bool writes, std::byte* local, global_address at, const strided_core& s, far_group group,
                  const char* operation) {
  const access_request one{operation, s.element, s.alignment, writes ? may_write : may_read};
  std::byte* const base = reach(at, {operation, s.element, s.alignment, one.rights});
  rank_memory& m = memory_of(*current);
  std::uint64_t moved = 0;
  if (base != nullptr) {
    const bool look = m.opened && at.rank() != m.self.rank;
    for_rows(s, local, [&](std::byte* l, std::int64_t distance, std::uint64_t bytes) {
      if (look || checked) reach(at.plus(distance), {operation, bytes, s.alignment, one.rights});
      if (writes)
        std::memcpy(base + distance, l, bytes);
      else
        std::memcpy(l, base + distance, bytes);
      moved += bytes;
    });
  } else {
    far_transfer t(m, at, writes, group, operation);
    for_rows(s, local, [&](std::byte* l, std::int64_t distance, std::uint64_t bytes) {
      if (m.opened) reach(at.plus(distance), {operation, bytes, s.alignment, one.rights});
      t.add(l, distance, bytes);
      moved += bytes;
    });
    t.finish();
  }
  ++(writes ? m.self.count->puts : m.self.count->gets);
  (writes ? m.self.count->put_bytes : m.self.count->get_bytes) += moved;
}

void copy_indexed(bool writes, std::byte* local, global_address base, const std::size_t* indices, std::size_t n,
                  std::uint32_t element, std::uint32_t alignment, const char* operation) {
  if (n == 0) return;
  const std::uint8_t rights = writes ? may_write : may_read;
  const auto at = [&](std::size_t i) { return base.plus(std::int64_t(indices[i]) * element); };
  std::byte* p = reach(at(0), {operation, element, alignment, rights});
  rank_memory& m = memory_of(*current);
  ++(writes ? m.self.count->puts : m.self.count->gets);
  (writes ? m.self.count->put_bytes : m.self.count->get_bytes) += n * element;
  if (p == nullptr) {
    far_transfer t(m, base, writes, far_group::split, operation);
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
