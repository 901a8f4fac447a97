// SPDX-License-Identifier: Apache-2.0
// Sparse matrices against the same product over all entries on each rank.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <utility>

#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/linear_algebra.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using entry = am::matrix_entry<long>;

/// Entries whose places come more than once, too.
std::vector<entry> made(dice& d, std::size_t rows, std::size_t columns) {
  std::vector<entry> all(rows * columns == 0 ? 0 : d.below(4 * rows));
  const std::size_t heavy = d.below(rows);
  for (entry& e : all) e = {d.below(3) == 0 ? heavy : d.below(rows), d.below(columns), long(d.below(100))};
  return all;
}

std::vector<long> product(const std::vector<entry>& all, const std::vector<long>& x, std::size_t rows) {
  std::vector<long> y(rows, 0);
  for (const entry& e : all) y[e.row] += e.value * x[e.column];
  return y;
}

/// Those that this rank gives.
std::vector<entry> share_of(const std::vector<entry>& all, const am::team& t) {
  std::vector<entry> mine;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (am::rank_t(k % 7) % t.size() == t.rank()) mine.push_back(all[k]);
  return mine;
}

using place = std::pair<std::size_t, std::size_t>;
using placed = std::pair<place, long>;

/// Of all members, which have their rows in order.
std::vector<placed> gathered(const am::sparse_matrix<long>& a) {
  std::vector<placed> mine;
  a.for_each_entry([&](std::size_t row, std::size_t column, long value) { mine.push_back({{row, column}, value}); });
  EXPECT(std::ranges::is_sorted(mine, {}, [](const placed& e) { return e.first.first; }));
  std::vector<placed> all = a.members().all_gather_v(mine);
  EXPECT(std::ranges::is_sorted(all, {}, [](const placed& e) { return e.first.first; }));
  std::ranges::sort(all);
  return all;
}
std::vector<placed> entries_of(const std::map<place, long>& all) { return {all.begin(), all.end()}; }
bool stays(std::size_t row, std::size_t column) { return (row * 31 + column) % 3 != 0; }

std::vector<long> longs(dice& d, std::size_t n) {
  const std::vector<int> all = d.numbers(n);
  return {all.begin(), all.end()};
}

/// A file that all ranks read, until the end of the scope.
class shared_file {
 public:
  explicit shared_file(const std::string& text) {
    path_ = "/tmp/armilla_spmv_test." + std::to_string(am::broadcast(long(::getpid())));
    if (am::rank() == 0) std::ofstream(path_) << text;
    am::barrier();
  }
  ~shared_file() {
    am::barrier();
    if (am::rank() == 0) std::remove(path_.c_str());
    am::barrier();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// All numbers, by products with unit vectors.
std::vector<std::vector<double>> dense(const am::sparse_matrix<double>& a) {
  std::vector<std::vector<double>> all(a.rows(), std::vector<double>(a.columns()));
  am::vector<double> x(a.columns(), a.column_distribution()), y(a.rows(), a.row_distribution());
  for (std::size_t j = 0; j < a.columns(); ++j) {
    am::for_each_index(x, [j](std::size_t i, double& e) { e = i == j ? 1 : 0; });
    am::spmv(a, x, y);
    const std::vector<double> column = elements_of(y);
    for (std::size_t i = 0; i < a.rows(); ++i) all[i][j] = column[i];
  }
  return all;
}

}  // namespace

RANK_TEST(products_are_those_of_one_rank) {
  for_random_teams(20, [](dice& d, const am::team& t) {
    const std::size_t rows = 1 + d.below(60), columns = d.below(2) == 0 ? rows : 1 + d.below(60);
    const std::vector<entry> all = made(d, rows, columns);
    const std::vector<long> numbers = longs(d, columns);
    const am::sparse_matrix<long> a(rows, columns, share_of(all, t), t);
    auto x = spread(numbers, a.column_distribution());
    am::vector<long> y(rows, a.row_distribution());
    am::spmv(a, x, y);
    EXPECT_EQ(elements_of(y), product(all, numbers, rows));
    auto elsewhere = spread(numbers, d.distribution(columns, t));
    am::vector<long> z(rows, 5L, d.distribution(rows, t));
    am::spmv(a, elsewhere, z);
    EXPECT_EQ(elements_of(z), product(all, numbers, rows));
  });
}

// Entries, their number, the diagonal and the way back into entries, of the whole job and of parts of it.
RANK_TEST(a_matrix_of_random_entries_holds_what_the_standard_map_would_hold) {
  for_random_teams(20, [](dice& d, const am::team& t) {
    const std::size_t rows = 1 + d.below(60), columns = d.below(2) == 0 ? rows : 1 + d.below(60);
    const std::vector<entry> all = made(d, rows, columns);
    std::map<place, long> oracle;
    for (const entry& e : all) oracle[{e.row, e.column}] += e.value;
    const am::sparse_matrix<long> a(rows, columns, share_of(all, t), t);
    EXPECT_EQ(a.non_zeros(), oracle.size());
    const auto expected = entries_of(oracle);
    EXPECT(gathered(a) == expected);
    // Each rank gives back the entries that it has, but for some, and mirrored.
    std::vector<entry> kept;
    a.for_each_entry([&](std::size_t row, std::size_t column, long value) {
      if (stays(row, column)) kept.push_back({column, row, value});
    });
    const am::sparse_matrix<long> mirrored(columns, rows, kept, t);
    std::map<place, long> turned;
    for (const auto& [at, value] : oracle)
      if (stays(at.first, at.second)) turned[{at.second, at.first}] = value;
    EXPECT(gathered(mirrored) == entries_of(turned));
    std::vector<long> middle(rows, 0);
    for (const auto& [at, value] : oracle)
      if (at.first == at.second) middle[at.first] = value;
    const am::array<long> diagonal = a.diagonal();
    EXPECT_EQ(elements_of(diagonal), middle);
    am::sparse_matrix<long> moved(am::sparse_matrix<long>(columns, rows, kept, t));
    moved = am::sparse_matrix<long>(rows, columns, share_of(all, t), t);
    EXPECT(gathered(moved) == expected);
  });
}

RANK_TEST(products_follow_each_other_without_a_meeting_in_the_end) {
  const std::size_t n = 50;
  std::vector<entry> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back({i, (i + 1) % n, 1});
  const am::sparse_matrix<long> turn(n, n, share_of(all, am::world()));
  am::vector<long> x(n, turn.row_distribution()), y(n, turn.row_distribution());
  am::iota(x, 0L);
  for (int step = 0; step < 30; ++step) {
    am::spmv(am::nowait, turn, x, y);
    am::swap(x, y);
  }
  am::barrier();
  const std::vector<long> there = elements_of(x);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(there[i], long((i + 30) % n));
}

RANK_TEST(rows_are_dealt_by_their_entries) {
  const std::size_t n = 1000;
  std::vector<entry> mine;  // the first hundred rows have a hundred entries each
  if (am::rank() == 0)
    for (std::size_t i = 0; i < 100; ++i)
      for (std::size_t j = 0; j < 100; ++j) mine.push_back({i, j * 10, 1});
  const am::sparse_matrix<long> a(n, n, mine);
  EXPECT_EQ(a.non_zeros(), 10000u);
  const auto here = a.part().inner.value.size() + a.part().border.value.size() + a.part().inner.rows();
  EXPECT_LE(here, 11000 / std::size_t(am::ranks()) + 202);
}

RANK_TEST(a_matrix_gives_its_diagonal) {
  dice d(3);
  const std::vector<entry> all = made(d, 40, 40);
  const am::sparse_matrix<long> a(40, 40, share_of(all, am::world()));
  std::vector<long> expected(40, 0);
  for (const entry& e : all)
    if (e.row == e.column) expected[e.row] += e.value;
  const am::array<long> diagonal = a.diagonal();
  EXPECT_EQ(elements_of(diagonal), expected);
}

RANK_TEST(entries_and_vectors_that_do_not_fit_are_refused) {
  const std::vector<entry> outside = {{5, 1, 1}};
  EXPECT_THROWS_SAYING(am::remote_error, "entry (5, 1) of a matrix of 5 rows and 3 columns",
                       am::sparse_matrix<long>(5, 3, am::rank() == am::ranks() - 1 ? outside : std::vector<entry>()));
  const am::sparse_matrix<long> a(5, 3, std::vector<entry>());
  am::vector<long> x(5), y(5);
  EXPECT_THROWS_SAYING(am::usage_error, "the input has 5 elements and must have 3", am::spmv(a, x, y));
}

RANK_TEST(matrix_market_files_are_read) {
  {
    const shared_file file("%%MatrixMarket matrix coordinate real general\n% text\n\n2 3 3\n1 1 1.5\n2 3 -2e1\n1 2 3\n");
    EXPECT_EQ(dense(am::read_matrix_market(file.path())), (std::vector<std::vector<double>>{{1.5, 3, 0}, {0, 0, -20}}));
  }
  {
    const shared_file file("%%MatrixMarket matrix coordinate integer Symmetric\n2 2 2\n1 1 4\n2 1 5\n");
    EXPECT_EQ(dense(am::read_matrix_market(file.path())), (std::vector<std::vector<double>>{{4, 5}, {5, 0}}));
  }
  {
    const shared_file file("%%MatrixMarket matrix coordinate pattern skew-symmetric\n" + std::string(300, '%') +
                           "\n2 2 1\n2 1\n");
    EXPECT_EQ(dense(am::read_matrix_market(file.path())), (std::vector<std::vector<double>>{{0, -1}, {1, 0}}));
  }
}

RANK_TEST(bad_matrix_market_files_are_refused_on_all_ranks) {
  const auto read = [](const std::string& text) {
    const shared_file file(text);
    am::read_matrix_market(file.path());
  };
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THROWS_SAYING(am::error, "begins with 'hello'", read("hello\n"));
  EXPECT_THROWS_SAYING(am::error, "has no line of sizes", read(banner + "% no more\n"));
  EXPECT_THROWS_SAYING(am::error, "is not a line of sizes", read(banner + "2 x\n"));
  EXPECT_THROWS_SAYING(am::error, "'2 2 1 9' is not a line of sizes", read(banner + "2 2 1 9\n1 1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "line 3: '1 1 4' is on the diagonal of a skew-symmetric matrix",
                       read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 4\n"));
  EXPECT_THROWS_SAYING(am::error, "'3 1 1' is not an entry of the matrix", read(banner + "2 2 1\n3 1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "has 1 entries, and 2 by its line of sizes", read(banner + "2 2 2\n1 1 1\n"));
}
