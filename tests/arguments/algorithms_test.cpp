// SPDX-License-Identifier: Apache-2.0
// What algorithms and views are given, at its edges.
#include <armilla/algorithms.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace edges;

namespace {
constexpr const char* no_element = "give an index from 0 to 9";
}

EDGES(indices_and_roots_of_algorithms, gather, scatter, scatter_add, betweenness, bfs, dfs, sssp, rotate_copy, histogram, mean,
      min, max, label_propagation, axpy, gemm, gemv, spmv, transpose, sort_by_key, set_exchange_limit) {
  am::array<int> x(10);
  std::vector<int> one(1), two(2);
  for (const std::size_t i : {std::size_t{10}, half, most}) {
    const std::span<const std::size_t> at(&i, 1);
    REFUSED(no_element, am::gather(x, at));
    REFUSED(no_element, am::scatter(x, at, std::span<const int>(one)));
    REFUSED(no_element, am::scatter_add(x, at, 1));
    REFUSED("", am::gather(x, at, std::span(two)));
    am::graph<> g(std::vector<am::edge>{{0, 1}});
    const std::vector<am::vertex_id> sources{am::vertex_id(i)};
    REFUSED("", am::bfs(g, i));
    REFUSED("", am::dfs(g, i));
    REFUSED("", am::betweenness(g, std::span(sources)));
    REFUSED("", am::rotate_copy(x, i + (i == 10), x));
  }
  am::vector<double> y(10, 1.0);
  REFUSED("", am::histogram(y, 3, not_a_number, 1));
  REFUSED("", am::histogram(y, 3, 2, 1));
  REFUSED("", am::histogram(y, 3, 0, infinite));
  am::vector<double> nothing(0);
  REFUSED("", am::mean(nothing));
  REFUSED("", am::min(nothing));
  REFUSED("", am::max(nothing));
  EXPECT_EQ(am::min_element(nothing), am::npos);
  REFUSED("", am::axpy(1.0, y, nothing));
}

EDGES(views_outside, views::slice, views::stride, views::chunk, views::slide, views::iota, views::row, views::column,
      views::block, views::tiles) {
  am::vector<int> x(10, 1);
  am::matrix<double> m({3, 3});
  REFUSED("", am::views::slice(x, 5, 3));
  REFUSED("", am::views::slice(x, 5, 11));
  REFUSED("", am::views::slice(x, most, most));
  REFUSED("", am::views::stride(x, 0));
  REFUSED("", am::views::chunk(x, 0));
  REFUSED("", am::views::slide(x, 0));
  EXPECT_THROWS(am::limit_error, am::views::iota(std::size_t{5}, most));
  for (const std::size_t i : {std::size_t{3}, most}) {
    REFUSED("", am::views::row(m, i));
    REFUSED("", am::views::column(m, i));
  }
  REFUSED("", am::views::block(m, {2, 2}, {1, 1}));
  REFUSED("", am::views::tiles(m, {0, 1}));
  REFUSED("", am::views::block(m, {most, 0}, {most, 4}));
}
