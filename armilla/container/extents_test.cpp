// SPDX-License-Identifier: Apache-2.0
// Sizes that nobody can mean, given to all that takes one: the result is right, or an armilla::error on all ranks. Segments are
// small here (ARMILLA_SEGMENT), and so is the private memory that a process may take, so that nothing is made which is large.
#include <sys/resource.h>

#include <array>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::size_t, 8> sizes = {
    0, 1, 5, std::size_t{1} << 31, std::size_t{1} << 32, std::size_t{1} << 60, std::size_t{1} << 63, most};
constexpr bool is_large(std::size_t n) { return n > 5; }

/// While it lives this process gets 512 MiB of private memory more than it has.
class little_memory {
 public:
  little_memory() {
    getrlimit(RLIMIT_DATA, &before_);
    rlimit now = before_;
    now.rlim_cur = (data_of_process() + (std::size_t{512} << 20));
    setrlimit(RLIMIT_DATA, &now);
    am::barrier();
  }
  ~little_memory() {
    am::barrier();
    before_.rlim_cur = before_.rlim_max;
    setrlimit(RLIMIT_DATA, &before_);
  }
  little_memory(const little_memory&) = delete;

 private:
  static std::size_t data_of_process() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmData:")) return std::size_t(std::stoull(line.substr(7))) << 10;
    return 0;
  }
  rlimit before_{};
};

/// Runs `f`, which returns whether what it made is right. Sizes that are not large are never refused. All ranks fare alike.
template <class F>
void right_or_refused(const std::string& what, bool large, F f) {
  int refused = 0;
  try {
    if (!f()) rank_test::fail(__FILE__, __LINE__, what + " is not right");
  } catch (const am::error& e) {
    refused = 1;
    if (!large) rank_test::fail(__FILE__, __LINE__, what + " is refused: " + e.what());
  } catch (const std::exception& e) {
    refused = 1;
    rank_test::fail(__FILE__, __LINE__, what + " threw another type: " + e.what());
  }
  const int all = am::all_reduce(refused, std::plus<>{});
  if (all != 0 && all != am::ranks()) rank_test::fail(__FILE__, __LINE__, what + " is refused on some ranks");
}
template <class F>
void each_size(const std::string& what, F f) {
  for (const std::size_t n : sizes) right_or_refused(what + " of " + std::to_string(n), is_large(n), [&] { return f(n); });
}
template <class F>
void each_pair(const std::string& what, F f) {
  for (const std::size_t a : sizes)
    for (const std::size_t b : sizes)
      right_or_refused(what + " of " + std::to_string(a) + " and " + std::to_string(b), is_large(a) || is_large(b),
                       [&] { return f(a, b); });
}

}  // namespace

RANK_TEST(memory_of_any_size) {
  const little_memory less;
  each_size("allocate", [](std::size_t n) {
    am::deallocate(am::allocate<char>(n));
    return true;
  });
  struct alignas(64) line {
    char of[64];
  };
  each_size("aligned allocate", [](std::size_t n) {
    am::deallocate(am::allocate<line>(n));
    return true;
  });
  each_size("spread_array", [](std::size_t n) { return am::spread_array<char>(n).size() == n; });
  each_pair("spread_array in blocks", [](std::size_t n, std::size_t block) {
    const am::spread_array<char> x(n, block);
    return x.size() == n && (n == 0 || x[n - 1] == 0);
  });
}

RANK_TEST(elements_in_any_number) {
  const little_memory less;
  each_size("array", [](std::size_t n) { return am::array<char>(n).size() == n; });
  each_size("array of strings", [](std::size_t n) { return am::array<std::string>(n).size() == n; });
  each_size("vector", [](std::size_t n) { return am::vector<char>(n, 'a').size() == n; });
  each_size("bitmap", [](std::size_t n) { return am::bitmap(n).count() == 0; });
  each_size("disjoint_set", [](std::size_t n) { return am::disjoint_set(n).num_sets() == n; });
  each_pair("array dealt in turn", [](std::size_t n, std::size_t block) {
    if (block == 0) return true;
    return am::array<char>(n, am::cyclic(block)).size() == n;
  });
  each_pair("array in given blocks", [](std::size_t first, std::size_t last) {
    std::vector<std::size_t> blocks(std::size_t(am::ranks()), 0);
    blocks.front() = first;
    blocks.back() = last;
    const std::size_t n = am::ranks() == 1 ? last : first + last;  // which may be any number
    return am::array<char>(n, am::blocks(blocks)).local().size() == blocks[std::size_t(am::rank())];
  });
}

RANK_TEST(elements_that_become_any_number) {
  const little_memory less;
  am::vector<char> x(3, 'a');
  am::array<std::string> t(3);
  each_size("vector::resize", [&](std::size_t n) {
    x.resize(n);
    return x.size() == n;
  });
  each_size("array of strings, resize", [&](std::size_t n) {
    t.resize(n);
    return t.size() == n;
  });
  x.resize(std::size_t(8 * am::ranks()));
  each_size("vector::keep_local", [&](std::size_t n) {
    if (!is_large(n)) return true;
    x.keep_local(n);
    return false;
  });
  x.resize(3);
  EXPECT_EQ(x.size(), 3U);
  EXPECT_EQ(am::count(x, 'a') + am::count(x, 0), 3U);
}

RANK_TEST(matrices_of_any_extents) {
  const little_memory less;
  each_size("matrix in a dimension", [](std::size_t n) { return am::matrix<char, 1>({n}).size() == n; });
  each_pair("matrix", [](std::size_t n, std::size_t m) { return am::matrix<char>({n, m}).size() == n * m; });
  each_pair("matrix in three dimensions", [](std::size_t n, std::size_t m) {
    return am::matrix<char, 3>({n, m, n}).size() == n * m * n && am::matrix<char, 3>({m, n, m}).size() == n * m * m;
  });
}

RANK_TEST(halos_of_any_width) {
  const little_memory less;
  for (const bool periodic : {false, true}) {
    each_size("halo", [&](std::size_t width) {
      am::matrix<char> x({4, 4}, am::grid(), am::halo(width).periodic(periodic));
      x.exchange();
      return x.size() == 16;
    });
    each_pair("halo of two sides", [&](std::size_t before, std::size_t behind) {
      am::matrix<char> x({4, 4}, am::grid(), am::halo().sides(0, before, 1).sides(1, 0, behind).periodic(periodic));
      x.exchange();
      return x.size() == 16;
    });
    each_pair("halo of a matrix in a dimension", [&](std::size_t n, std::size_t width) {
      am::matrix<char, 1> x({n}, am::grid(), am::halo(width).periodic(periodic));
      return x.size() == n;
    });
  }
  EXPECT_THROWS_SAYING(am::usage_error, "is it a negative number?", am::halo(most - 1));
  EXPECT_THROWS_SAYING(am::limit_error, "a halo of 1073741824 x 1073741824 before",
                       am::matrix<double>({4, 4}, am::grid(), am::halo(std::size_t{1} << 30)));
  EXPECT_THROWS_SAYING(am::limit_error, "has the same cells too often",
                       am::matrix<char>({2, 2}, am::grid(), am::halo(10'000).periodic()));
}

RANK_TEST(sparse_matrices_and_graphs_of_any_size) {
  const little_memory less;
  const std::vector<am::matrix_entry<char>> no_entries;
  const std::vector<am::edge> no_edges;
  each_pair("sparse_matrix", [&](std::size_t rows, std::size_t columns) {
    const am::sparse_matrix<char> x(rows, columns, no_entries);
    return x.rows() == rows && x.columns() == columns && x.non_zeros() == 0;
  });
  each_size("graph", [&](std::size_t n) { return am::graph<>(n, no_edges).size() == n; });
  each_size("graph with values",
            [&](std::size_t n) { return am::graph<char, char>(n, std::vector<am::weighted_edge<char>>()).size() == n; });
  each_pair("graph of an edge", [&](std::size_t a, std::size_t b) {
    const am::graph<> g(am::rank() == 0 ? std::vector<am::edge>{{a, b}} : no_edges, {.keep_loops = true});
    return g.size() == std::max(a, b) + 1 && g.edges() == 1;
  });
}

RANK_TEST(maps_with_options_of_any_size) {
  const little_memory less;
  each_pair("unordered_map", [](std::size_t combine, std::size_t gather) {
    am::unordered_map<int, int> x({.combine = combine, .gather = gather});
    for (int i = 0; i < 100; ++i) x.update(i, 1, std::plus<>{});
    am::fence();
    return x.size() == 100;
  });
}

RANK_TEST(views_of_any_number_of_elements) {
  const little_memory less;
  am::vector<char> x(10, 'a');
  const auto elements = [](auto&& view) { return am::count(view, 'a'); };
  each_size("take", [&](std::size_t n) { return elements(x | am::views::take(n)) == std::min<std::size_t>(n, 10); });
  each_size("drop", [&](std::size_t n) { return elements(x | am::views::drop(n)) == 10 - std::min<std::size_t>(n, 10); });
  each_size("stride", [&](std::size_t n) { return n == 0 || elements(x | am::views::stride(n)) == (n > 10 ? 1 : (9 + n) / n); });
  each_pair("slice", [&](std::size_t a, std::size_t b) { return a > b || elements(am::views::slice(x, a, b)) == b - a; });
  each_size("chunk", [&](std::size_t n) {
    return n == 0 || am::reduce(x | am::views::chunk(n) | am::views::transform([](const auto& row) { return row.size(); }),
                                std::size_t{0}) == 10;
  });
  each_size("slide", [&](std::size_t n) {
    return n == 0 ||
           am::count_if(x | am::views::slide(n), [n](const auto& row) { return row.size() == n; }) == (n > 10 ? 0 : 11 - n);
  });
  each_size("iota", [](std::size_t n) { return am::views::iota(std::size_t{0}, n).size() == n; });
}

RANK_TEST(algorithms_with_any_number) {
  const little_memory less;
  am::vector<char> x(10, 'a'), y(10);
  each_size("fill_n", [&](std::size_t n) {
    am::fill_n(x, n, 'a');
    return !is_large(n);
  });
  each_size("copy_n", [&](std::size_t n) {
    am::copy_n(x, n, y);
    return !is_large(n);
  });
  each_size("rotate", [&](std::size_t n) {
    const std::size_t at = am::rotate(x, n);
    return at == 10 - n && !is_large(n);
  });
  each_size("shift_left", [&](std::size_t n) { return am::shift_left(x, n) == (n < 10 ? 10 - n : 0); });
  each_size("shift_right", [&](std::size_t n) { return am::shift_right(x, n) == (n < 10 ? n : 10); });
  each_size("search_n", [&](std::size_t n) { return am::search_n(x, n, 'a') == (n > 10 ? am::npos : 0); });
  each_size("top_k", [&](std::size_t n) { return am::top_k(x, n).size() == std::min<std::size_t>(n, 10); });
  each_size("nth_element", [&](std::size_t n) {
    am::nth_element(x, n);
    return true;
  });
  each_size("partial_sort", [&](std::size_t n) {
    am::partial_sort(x, n);
    return true;
  });
  each_size("histogram", [&](std::size_t n) { return am::histogram(x, n, 0, 200).size() == n; });
  EXPECT_EQ(am::count(x, 'a'), 10U);
}

RANK_TEST(files_that_name_any_number) {
  const little_memory less;
  each_pair("read_matrix_market", [](std::size_t rows, std::size_t columns) {
    const files_testing::text_file file("%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) + " " +
                                        std::to_string(columns) + (rows != 0 && columns != 0 ? " 1\n1 1 1.0\n" : " 0\n"));
    const am::sparse_matrix<double> x = am::read_matrix_market(file.path());
    return x.rows() == rows && x.columns() == columns;
  });
  each_size("read_matrix_market of entries", [](std::size_t entries) {
    const files_testing::text_file file("%%MatrixMarket matrix coordinate real general\n2 2 " + std::to_string(entries) +
                                        "\n1 1 1.0\n");
    try {
      const am::sparse_matrix<double> x = am::read_matrix_market(file.path());
    } catch (const am::usage_error&) { return entries != 1; }
    return entries == 1;
  });
  each_pair("read_matrix_market of an entry", [](std::size_t row, std::size_t column) {
    const files_testing::text_file file("%%MatrixMarket matrix coordinate real general\n5 5 1\n" + std::to_string(row) + " " +
                                        std::to_string(column) + " 1.0\n");
    const bool inside = row - 1 < 5 && column - 1 < 5;
    try {
      return am::read_matrix_market(file.path()).non_zeros() == 1 && inside;
    } catch (const am::error&) { return !inside; }
  });
  each_pair("read_edges", [](std::size_t from, std::size_t to) {
    const files_testing::text_file file(std::to_string(from) + " " + std::to_string(to) + "\n");
    const am::graph<> g(am::read_edges(file.path()), {.keep_loops = true});
    return g.size() == std::max(from, to) + 1;
  });
}
