// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/container/files/market_file.hpp"
#include "armilla/container/grid/dense_cells.hpp"
#include "armilla/error.hpp"
#include "armilla/matrix.hpp"
#include "armilla/sparse_matrix.hpp"

namespace armilla::detail {
namespace {

constexpr const char* reading_market = "read_matrix_market";

template <class T>
constexpr const char* name_of_number() {
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, std::int64_t>) return "std::int64_t";
  if constexpr (std::is_same_v<T, std::int32_t>) return "std::int32_t";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "std::complex<float>";
  return "std::complex<double>";
}
template <class R>
constexpr const char* name_of_part(const std::complex<R>*) {
  return name_of_number<R>();
}
template <class R>
constexpr const char* name_of_part(const R*) {
  return name_of_number<R>();
}

/// The file does not fit the type: which one it fits.
template <class T>
void require_type(const market_file& file, bool dense) {
  const market_header& h = file.header();
  const bool fits = h.field == market_header::values::complex ? is_complex<T>
                    : h.field == market_header::values::real  ? !std::is_integral_v<T>
                                                              : true;
  if (h.dense == dense && fits) return;
  const char* const number = h.field == market_header::values::complex ? "std::complex<double>"
                             : fits                                    ? name_of_number<T>()
                                                                       : "double";
  throw_usage(reading_market, fmt::format("'{}': {}; read it with read_matrix_market<am::{}<{}>>", file.path(),
                                          h.dense != dense ? (h.dense ? "it is a dense matrix" : "it is a sparse matrix")
                                          : h.field == market_header::values::complex ? "its values are complex"
                                                                                      : "its values are real numbers",
                                          h.dense ? "matrix" : "sparse_matrix", number));
}

template <class T>
void complain_of_value(market_file& file, const market_line& e) {
  if (file.header().field != market_header::values::integer)
    return file.complain(e, file.header().dense ? "is not a value of the matrix" : "is not an entry of the matrix");
  const char* const name = name_of_part(static_cast<const T*>(nullptr));
  file.complain(e, fmt::format("has a value that is not an integer that a {} holds exactly", name),
                std::is_integral_v<T> ? "read it into a matrix of double or of longer integers"
                                      : "read it into a matrix of std::int64_t, or write it as a real one if it may be rounded");
}

/// Returns whether the type holds the mirrored value: -v of the least integer does not fit.
template <class T>
bool has_mirror(market_header::symmetry shape, const T& v) {
  if constexpr (std::is_integral_v<T>) return shape != market_header::symmetry::skew || v != std::numeric_limits<T>::min();
  return true;
}

/// Calls put(row, column, value) for each entry of this member's lines, and for its mirror. Collective at the end.
template <class T, class Put>
void read_entries(market_file& file, Put put) {
  const market_header& h = file.header();
  failure why;
  try {
    market_line e;
    while (file.next(e)) {
      T value{};
      if (!parse_market_value(h.field, e, value) || !has_mirror(h.shape, value)) {
        complain_of_value<T>(file, e);
        continue;
      }
      put(e.row, e.column, value);
      if (h.mirrored() && e.row != e.column) put(e.column, e.row, mirrored_value(h.shape, value));
    }
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  file.end(why);
}

template <class T>
void read_market(market_file& file, sparse_matrix<T>& made, const made_at& at) {
  std::vector<matrix_entry<T>> mine;
  mine.reserve(file.expected());
  read_entries<T>(file, [&](std::uint64_t row, std::uint64_t column, const T& value) {
    mine.push_back({std::size_t(row), std::size_t(column), value});
  });
  made = sparse_matrix<T>(std::size_t(file.header().rows), std::size_t(file.header().columns), mine, file.members(), at);
}

template <class T>
void read_market(market_file& file, matrix<T>& made, const made_at& at) {
  const market_header& h = file.header();
  std::vector<cell_value<T>> mine;
  read_entries<T>(
      file, [&](std::uint64_t row, std::uint64_t column, const T& value) { mine.push_back({row * h.columns + column, value}); });
  made = matrix<T>({std::size_t(h.rows), std::size_t(h.columns)}, on(file.members(), grid{}), at);
  set_cells(made, reading_market, mine);
}

template <class T>
constexpr bool is_dense(const matrix<T>*) {
  return true;
}
constexpr bool is_dense(const void*) { return false; }

}  // namespace

template <class M>
M read_market_matrix(const std::string& path, const file_options& how, const made_at& at) {
  const file_use use = use_of(reading_market, cut_at::line, file_content::market, how);
  market_file file(reading_market, std::make_shared<file_part>(path, use), how.skip_bad);
  if (file.header().dense) refuse_skip_bad(reading_market, how.skip_bad, "each line of an array is the value of a cell");
  require_type<typename M::value_type>(file, is_dense(static_cast<const M*>(nullptr)));
  M made;
  read_market(file, made, at);
  return made;
}

#define ARMILLA_READS(T)                                                                                 \
  template sparse_matrix<T> read_market_matrix(const std::string&, const file_options&, const made_at&); \
  template matrix<T> read_market_matrix(const std::string&, const file_options&, const made_at&);
ARMILLA_READS(double)
ARMILLA_READS(float)
ARMILLA_READS(std::complex<double>)
ARMILLA_READS(std::complex<float>)
ARMILLA_READS(std::int64_t)
ARMILLA_READS(std::int32_t)
#undef ARMILLA_READS

}  // namespace armilla::detail
