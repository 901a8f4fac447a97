// SPDX-License-Identifier: Apache-2.0
// What a local_span refers to. As a std::mdspan where the standard library has one: a program of its own, without a framework,
// so that any standard library can compile it.
#include "armilla/local_span.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace {

using armilla::local_span;

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %s\n", what);
}

/// 4 rows of 6, of which the inner 2 of 3 are referred to.
struct cells {
  std::array<int, 24> all{};
  cells() { std::iota(all.begin(), all.end(), 0); }
  local_span<int, 2> inner() { return {all.data() + 7, {2, 3}, {6, 1}}; }
  local_span<int, 1> column() { return {all.data() + 1, {4}, {6}}; }
};

void elements_lie_at_distances() {
  cells c;
  const auto inner = c.inner();
  expect(inner.size() == 6 && inner(0, 0) == 7 && inner(1, 2) == 15, "two dimensions");
  const auto column = c.column();
  expect(std::ranges::equal(column, std::array{1, 7, 13, 19}), "a column is a range");
  std::ranges::sort(column, std::greater<>{});
  expect(c.all[1] == 19 && c.all[19] == 1 && c.all[2] == 2, "and sorted where it lies");
}

#ifdef __cpp_lib_mdspan
void it_becomes_a_span_of_the_standard() {
  cells c;
  const std::mdspan<int, std::dextents<std::size_t, 2>, std::layout_stride> inner = c.inner();
  expect(inner.extent(0) == 2 && inner.extent(1) == 3 && inner.stride(0) == 6 && inner.stride(1) == 1, "extents and strides");
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) expect(&inner[i, j] == &c.inner()(i, j), "the same element");
  inner[1, 1] = -1;
  expect(c.all[14] == -1, "it refers to them");
  const std::mdspan<int, std::dextents<std::size_t, 1>, std::layout_stride> column = c.column();
  expect(column.extent(0) == 4 && column[3] == 19, "one dimension");
  const local_span<const int, 2> read(c.all.data(), {4, 6}, {6, 1});
  const std::mdspan<const int, std::dextents<std::size_t, 2>, std::layout_stride> all = read;
  expect(all[3, 5] == 23, "that is only read");
  const local_span<int, 2> none(c.all.data(), {0, 6}, {6, 1});
  expect(std::mdspan<int, std::dextents<std::size_t, 2>, std::layout_stride>(none).size() == 0, "without elements");
}
#endif

}  // namespace

int main() {
  elements_lie_at_distances();
#ifdef __cpp_lib_mdspan
  it_becomes_a_span_of_the_standard();
  std::puts("with mdspan");
#endif
  return failures == 0 ? 0 : 1;
}
