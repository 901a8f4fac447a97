// SPDX-License-Identifier: Apache-2.0
// Each kind of MatrixMarket file: read into the type that holds it, written again, or refused on all ranks with line and reason.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/container/files/files_testing.hpp"
#include "armilla/linear_algebra.hpp"
#include "armilla/matrix.hpp"
#include "armilla/sparse_matrix.hpp"
#include "armilla/vector.hpp"
#include "armilla/write.hpp"

namespace am = armilla;
using files_testing::text_file;

namespace {

using complex = std::complex<double>;

/// All numbers, row by row, on each rank.
template <class T>
std::vector<T> numbers_of(const am::sparse_matrix<T>& m) {
  std::vector<T> all(m.rows() * m.columns());
  std::vector<am::matrix_entry<T>> mine;
  m.for_each_entry([&](std::size_t row, std::size_t column, const T& value) { mine.push_back({row, column, value}); });
  for (const auto& e : am::all_gather_v(mine)) all[e.row * m.columns() + e.column] = e.value;
  return all;
}
template <class T>
std::vector<T> numbers_of(const am::matrix<T>& m) {
  am::fence();
  std::vector<T> all;
  for (std::size_t i = 0; i < m.extent(0); ++i)
    for (std::size_t j = 0; j < m.extent(1); ++j) all.push_back(m(i, j));
  am::barrier();
  return all;
}
template <class M>
std::vector<typename M::value_type> read(const std::string& kind, const std::string& rest) {
  const text_file file("%%MatrixMarket matrix " + kind + "\n% a comment\n" + rest);
  return numbers_of(am::read_matrix_market<M>(file.path()));
}
template <class T>
std::vector<T> sparse(const std::string& kind, const std::string& rest) {
  return read<am::sparse_matrix<T>>("coordinate " + kind, rest);
}
template <class T>
std::vector<T> dense(const std::string& kind, const std::string& rest) {
  return read<am::matrix<T>>("array " + kind, rest);
}

}  // namespace

RANK_TEST(sparse_files_of_each_field_and_symmetry) {
  using c = std::vector<complex>;
  using d = std::vector<double>;
  using i = std::vector<std::int64_t>;
  EXPECT_EQ(sparse<complex>("complex general", "2 2 1\n1 2 1.0 -2.5\n"), (c{0, {1, -2.5}, 0, 0}));
  EXPECT_EQ(sparse<complex>("complex hermitian", "2 2 2\n1 1 3 0\n2 1 1 2\n"), (c{3, {1, -2}, {1, 2}, 0}));
  EXPECT_EQ(sparse<complex>("complex symmetric", "2 2 1\n2 1 1 2\n"), (c{0, {1, 2}, {1, 2}, 0}));
  EXPECT_EQ(sparse<complex>("complex skew-symmetric", "2 2 1\n2 1 1 2\n"), (c{0, {-1, -2}, {1, 2}, 0}));
  EXPECT_EQ(sparse<complex>("real general", "1 1 1\n1 1 2.5\n"), (c{{2.5, 0}}));
  EXPECT_EQ(sparse<std::complex<float>>("pattern general", "1 1 1\n1 1\n"), (std::vector<std::complex<float>>{{1, 0}}));
  EXPECT_EQ(sparse<std::int64_t>("integer general", "1 2 2\n1 1 9007199254740993\n1 2 -9223372036854775808\n"),
            (i{9007199254740993, INT64_MIN}));
  EXPECT_EQ(sparse<std::int32_t>("integer skew-symmetric", "2 2 1\n2 1 7\n"), (std::vector<std::int32_t>{0, -7, 7, 0}));
  EXPECT_EQ(sparse<std::int64_t>("pattern symmetric", "2 2 2\n1 1\n2 1\n"), (i{1, 1, 1, 0}));
  EXPECT_EQ(sparse<float>("real general", "1 1 1\n1 1 1e-3\n"), (std::vector<float>{1e-3F}));
  EXPECT_EQ(sparse<double>("unsigned-integer general", "1 1 1\n1 1 9223372036854775808\n"), d{0x1p63});
}

RANK_TEST(arrays_of_each_field_and_symmetry) {
  using c = std::vector<complex>;
  using d = std::vector<double>;
  EXPECT_EQ(dense<double>("real general", "2 3\n1\n2\n3\n4\n5\n6\n"), (d{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(dense<double>("real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n"), (d{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(dense<double>("integer skew-symmetric", "3 3\n1\n2\n3\n"), (d{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  EXPECT_EQ(dense<complex>("complex hermitian", "2 2\n1 0\n2 3\n4 0\n"), (c{1, {2, -3}, {2, 3}, 4}));
  EXPECT_EQ(dense<std::int64_t>("integer general", "1 1\n9007199254740993\n"), (std::vector<std::int64_t>{9007199254740993}));
  EXPECT_EQ(dense<double>("real general", "0 5\n"), d{});
  std::string text = "23 17\n";
  d expected(23 * 17);
  for (std::size_t k = 0; k < expected.size(); ++k) text += std::to_string(k) + "\n", expected[k % 23 * 17 + k / 23] = double(k);
  EXPECT_EQ(dense<double>("real general", text), expected);
}

RANK_TEST(files_that_do_not_fit_are_refused_with_line_and_reason) {
  const auto real = [](const char* kind, const char* rest) { read<am::sparse_matrix<double>>(kind, rest); };
  const auto array = [](const char* kind, const char* rest) { read<am::matrix<double>>(kind, rest); };
  const auto whole = [](const char* kind, const char* rest) { read<am::sparse_matrix<std::int64_t>>(kind, rest); };
  EXPECT_THROWS_SAYING(am::error, "read_matrix_market<am::sparse_matrix<std::complex<double>>>",
                       real("coordinate complex general", "1 1 1\n1 1 1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "it is a dense matrix; read it with read_matrix_market<am::matrix<double>>",
                       real("array real general", "1 1\n1\n"));
  EXPECT_THROWS_SAYING(am::error, "it is a sparse matrix; read it with read_matrix_market<am::sparse_matrix<double>>",
                       array("coordinate real general", "1 1 1\n1 1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "its values are real numbers", whole("coordinate real general", "1 1 1\n1 1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "line 4: '1 1 9223372036854775808' has a value that is not an integer that a std::int64_t",
                       whole("coordinate integer general", "1 1 1\n1 1 9223372036854775808\n"));
  EXPECT_THROWS_SAYING(am::error, "line 4: '2 1 -9223372036854775808'",
                       whole("coordinate integer skew-symmetric", "2 2 1\n2 1 -9223372036854775808\n"));
  EXPECT_THROWS_SAYING(am::error, "line 4: '1 1 1' is not an entry",
                       (read<am::sparse_matrix<complex>>("coordinate complex general", "1 1 1\n1 1 1\n")));
  EXPECT_THROWS_SAYING(am::error, "has 3 values, and 4 by its line of sizes; is it cut off?",
                       array("array real general", "2 2\n1\n2\n3\n"));
  EXPECT_THROWS_SAYING(am::error, "and 18446744073709551615 by its line of sizes",
                       array("array real general", "4294967296 4294967296\n1\n"));
  EXPECT_THROWS_SAYING(am::error, "line 5: '2 3' is not a value of the matrix: an array has one in each line",
                       array("array real general", "2 1\n1\n2 3\n"));
  EXPECT_THROWS_SAYING(am::error, "line 4: 'x' is not a value of the matrix", array("array real general", "1 1\nx\n"));
  EXPECT_THROWS_SAYING(am::error, "an array of a pattern", array("array pattern general", "1 1\n"));
  EXPECT_THROWS_SAYING(am::error, "'2' is not a line of sizes (rows, columns)", array("array real general", "2\n1\n"));
}

RANK_TEST(what_is_written_is_read_back) {
  const text_file file("");
  std::vector<am::matrix_entry<complex>> mine;
  if (am::rank() == 0)
    for (std::size_t k = 0; k < 60; ++k) mine.push_back({k % 13, k % 7, {1.0 / double(k + 1), double(k)}});
  const am::sparse_matrix<complex> s(13, 7, mine);
  am::write_matrix_market(file.path(), s);
  EXPECT_EQ(numbers_of(am::read_matrix_market<am::sparse_matrix<complex>>(file.path())), numbers_of(s));
  am::matrix<double> m({11, 19});
  const auto block = m.local();
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t j = 0; j < block.extent(1); ++j)
      block(i, j) = 1.0 / double((block.origin(0) + i) * 19 + block.origin(1) + j + 1);
  am::write_matrix_market(file.path(), m);
  EXPECT_EQ(numbers_of(am::read_matrix_market<am::matrix<double>>(file.path())), numbers_of(m));
  const am::matrix<std::int64_t> none({std::size_t(0), std::size_t(3)});
  am::write_matrix_market(file.path(), none);
  EXPECT_EQ(am::read_matrix_market<am::matrix<std::int64_t>>(file.path()).extent(1), 3U);
}

RANK_TEST(a_product_of_complex_numbers) {
  const text_file file("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 0 2\n");
  const auto a = am::read_matrix_market<am::sparse_matrix<complex>>(file.path());
  am::vector<complex> x(2, complex(0, 1), a.column_distribution()), y(2, a.row_distribution());
  am::spmv(a, x, y);
  am::fence();
  EXPECT_EQ(complex(y[0]), complex(2, 1));
  EXPECT_EQ(complex(y[1]), complex(-2, 0));
}
