// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/views/zip_view.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/sparse_matrix.hpp"
#include "armilla/strided.hpp"

/// What `spmv` does inside.
namespace armilla::detail {

/// Budget: a multiplication and two loads a number, one a row more.
template <class T>
T row_times(const compressed_rows<T>& rows, std::size_t r, const T* x) {
  T sum{};
  for (std::size_t k = rows.begin[r], end = rows.begin[r + 1]; k < end; ++k) sum += rows.value[k] * x[rows.column[k]];
  return sum;
}
/// A row with columns of other members.
template <class T>
T border_row_times(const compressed_rows<T>& rows, std::size_t r, const T* x, const T* fetched, std::size_t own) {
  T sum{};
  for (std::size_t k = rows.begin[r], end = rows.begin[r + 1]; k < end; ++k) {
    const std::size_t c = rows.column[k];
    sum += rows.value[k] * (c < own ? x[c] : fetched[c - own]);
  }
  return sum;
}

/// All members have written x. What is fetched is under way while the inner rows are done.
template <class T>
void product(const sparse_matrix<T>& a, const array<T>& x, array<T>& y) {
  algorithm_call why("spmv", a, x, y);
  const team& t = a.members();
  if (t.size() > 1) meet(t);
  const sparse_part<T>& p = a.part();
  for (const ghost_run& g : p.ghosts)
    get_indexed(a.fetched().subspan(g.first, g.places.size()), global_ptr<const T>(x.state().blocks.at(g.owner)), g.places);
  count_moved(p.fetched.size());
  count_elements(p.inner.value.size() + p.border.value.size());
  const auto from = x.local();
  const auto to = y.local();
  for (std::size_t r = 0; r < p.inner.rows(); ++r) to[r] = row_times(p.inner, r, from.data());
  sync_memory();
  for (std::size_t r = 0; r < p.border.rows(); ++r)
    to[p.border_row[r]] = border_row_times(p.border, r, from.data(), p.fetched.data(), p.own_columns);
  finish(t, "spmv", why);
}

template <class T>
void spmv(const sparse_matrix<T>& a, const array<T>& x, array<T>& y) {
  require_same_members(a.members(), x.members());
  require_same_members(a.members(), y.members());
  if (x.size() != a.columns()) [[unlikely]]
    throw_vector_length("spmv", "input", x.size(), a.columns());
  if (y.size() != a.rows()) [[unlikely]]
    throw_vector_length("spmv", "output", y.size(), a.rows());
  if (!(x.placement() == a.column_placement()) || &x == &y) {
    array<T> moved(a.columns(), a.column_distribution());
    armilla::copy(x, moved);
    return detail::spmv(a, moved, y);
  }
  if (y.placement() == a.row_placement()) return product(a, x, y);
  array<T> result(a.rows(), a.row_distribution());
  product(a, x, result);
  armilla::copy(result, y);
}

}  // namespace armilla::detail
