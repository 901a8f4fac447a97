// SPDX-License-Identifier: Apache-2.0
// Cells of matrices as std::mdspan: compiled only, with a standard library that has it.
#include "armilla/matrix.hpp"

#ifndef __cpp_lib_mdspan
#error "this standard library has no mdspan"
#endif

namespace am = armilla;

template <class T, std::size_t N>
using strided = std::mdspan<T, std::dextents<std::size_t, N>, std::layout_stride>;

double corners(am::matrix<double>& t, const am::matrix<float, 3>& u) {
  const strided<double, 2> own = t.local().cells();
  const strided<const float, 3> read = u.local().cells();
  return own[0, 0] + double(read[0, 0, 0]);
}

/// What takes a span of the standard takes these cells.
double first_of(strided<double, 2> cells) { return cells[0, 0]; }
double first_cell(am::matrix<double>& t) { return first_of(t.local().cells()); }
