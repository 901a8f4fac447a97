// SPDX-License-Identifier: Apache-2.0
// What algorithms and views are given, at its edges.
#include <unistd.h>

#include <filesystem>

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

EDGES(ranges_that_are_empty_or_gone, find_first_of, equal_range, inner_product, is_permutation, partial_sum, sample, shuffle,
      set_symmetric_difference, semi_join, anti_join, left_join, views::reverse, views::flatten) {
  constexpr const char* no_ranks = "it has no ranks";
  am::vector<int> x(10, 1), gone, none(0), y(4, 2), z(14);
  const am::vector<int> taken = std::move(gone);
  bool (*const less)(const int&, const int&) = nullptr;
  int (*const op)(const int&, const int&) = nullptr;
  const std::vector<int> values{1};
  REFUSED(no_function, am::find_first_of(x, values, less));
  REFUSED(no_ranks, am::find_first_of(gone, values));
  EXPECT_EQ(am::find_first_of(x, std::vector<int>()), am::npos);
  EXPECT_EQ(am::find_first_of(none, values), am::npos);
  REFUSED(no_function, am::equal_range(x, 1, less));
  REFUSED(no_ranks, am::equal_range(gone, 1));
  EXPECT(am::equal_range(none, 1) == std::pair(std::size_t{0}, std::size_t{0}));
  REFUSED(no_function, am::inner_product(x, y, 0, op));
  REFUSED(no_function, am::inner_product(x, y, 0, std::plus<>{}, op));
  REFUSED(no_ranks, am::inner_product(gone, gone));
  EXPECT_EQ(am::inner_product(x, none, 3), 3);
  REFUSED(no_ranks, am::is_permutation(gone, gone));
  EXPECT(am::is_permutation(none, none) && !am::is_permutation(x, y));
  REFUSED(no_function, am::partial_sum(x, z, op));
  REFUSED(no_ranks, am::partial_sum(gone, gone));
  REFUSED("10 elements for a range of 4", am::partial_sum(x, y));
  REFUSED(no_ranks, am::sample(gone, gone, 0));
  REFUSED("copy what is read into another container first", am::sample(x, x, 0));
  EXPECT_EQ(am::sample(x, y, most), 4U);
  EXPECT_EQ(am::sample(none, y, most), 0U);
  REFUSED(no_ranks, am::shuffle(gone, 0));
  am::shuffle(none, most);
  REFUSED(no_function, am::set_symmetric_difference(x, y, z, less));
  REFUSED(no_ranks, am::set_symmetric_difference(gone, gone, gone));
  REFUSED("6 elements for a range of 4", am::set_symmetric_difference(x, y, y));
  am::vector<std::pair<double, int>> pairs(3, {not_a_number, 1}), no_pairs;
  const auto also_taken = std::move(no_pairs);
  REFUSED(no_ranks, am::semi_join(no_pairs, pairs));
  REFUSED(no_ranks, am::anti_join(no_pairs, pairs));
  REFUSED(no_ranks, am::left_join(no_pairs, pairs));
  int std::pair<double, int>::* const no_member = nullptr;
  REFUSED(no_function, am::left_join(pairs, pairs, no_member, &std::pair<double, int>::second));
  REFUSED(no_function, am::semi_join(pairs, pairs, &std::pair<double, int>::second, no_member));
  EXPECT_EQ(am::semi_join(pairs, pairs).size(), 0U);  // NaN is equal to nothing
  EXPECT_EQ(am::all_reduce(am::anti_join(pairs, std::vector<std::pair<double, int>>()).size(), std::plus<>{}), 3U);
  REFUSED(no_ranks, am::reduce(am::views::reverse(gone)));
  EXPECT_EQ(am::reduce(am::views::reverse(none)), 0);
  am::vector<std::vector<int>> lists(3), no_lists;
  const auto lists_taken = std::move(no_lists);
  EXPECT_EQ(am::reduce(am::views::flatten(lists)), 0);
  REFUSED(no_ranks, am::reduce(am::views::flatten(no_lists)));
}

EDGES(separators, write_csv) {
  const std::string path = std::filesystem::temp_directory_path() / ("edges." + std::to_string(am::broadcast(getpid())) + ".csv");
  const am::vector<std::pair<double, std::string>> records(3, {-1.5, "a1"});
  REFUSED("the name is empty", am::write_csv("", records));
  REFUSED("contains a NUL", am::write_csv(path_with_nul, records));
  for (const char c : {'"', '\n', '\r'}) REFUSED("the separator and the quote must differ", am::write_csv(path, records, c));
  for (const char c : {'1', '.', '-', 'a', ';', '\0'}) {  // numbers and texts that hold it are put in quotes
    am::write_csv(path, records, c);
    const auto read = am::read_csv<double, std::string>(path, {.separator = c});
    int n = 0;
    for (const auto& [number, text] : read.local()) n += number == -1.5 && text == "a1";
    EXPECT_EQ(am::all_reduce(n, std::plus<>{}), 3);
  }
  am::barrier();
  if (am::rank() == 0) std::filesystem::remove(path);
}
