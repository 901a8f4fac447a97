// SPDX-License-Identifier: Apache-2.0
#include "armilla/sparse_matrix.hpp"

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

void note_entry_outside(image_reader& from, std::uint64_t row, std::uint64_t column) {
  from.note(fmt::format("it has an entry ({}, {}), and {} rows of {} columns; it is damaged: load another one", row, column,
                        from.numbers()[0], from.numbers()[1]));
}

void throw_entry_outside(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
  throw_usage(
      algorithm_here("sparse_matrix"),
      fmt::format("entry ({}, {}) of a matrix of {} rows and {} columns; they are numbered from 0", row, column, rows, columns));
}
void throw_too_many_columns(std::size_t columns) {
  throw_limit(algorithm_here("sparse_matrix"),
              fmt::format("this rank's rows reach {} columns, more than 2^32; take more ranks", columns));
}

std::uint64_t bytes_of_rows(std::size_t rows, rank_t members) {
  const std::uint64_t bytes = bounded_product(bounded_sum(rows / std::size_t(members), 1), 2 * sizeof(std::size_t));
  if (bytes > most_segment_bytes)
    throw_limit(algorithm_here("sparse_matrix"), fmt::format("{} rows are more than its ranks have memory for{}; take fewer",
                                                             rows, looks_negative(rows) ? " (is the number negative?)" : ""));
  return bytes;
}

}  // namespace armilla::detail

namespace armilla {

template class sparse_matrix<double>;

}  // namespace armilla
