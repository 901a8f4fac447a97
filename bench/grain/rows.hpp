// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "bench/grain/metg.hpp"

namespace bench::grain {

/// The versions. Each returns the time of its shortest effective task, in ns.
double bulk(row_context& c, const task_graph& g);
double calls(row_context& c, const task_graph& g);
double fibers(row_context& c, const task_graph& g);

/// A version on a graph of a pattern, with `size` columns a rank.
template <double version(row_context&, const task_graph&), pattern kind>
double on(row_context& c) {
  return version(c, task_graph(kind, int(c.size) * c.ranks, c.ranks));
}

/// Adds the rows of a version, under their names in the order of the patterns.
template <double version(row_context&, const task_graph&)>
void add_patterns(row_table& rows, const std::array<const char*, 6>& names) {
  rows.insert(rows.end(), {{names[0], on<version, pattern::stencil>},
                           {names[1], on<version, pattern::nearest>},
                           {names[2], on<version, pattern::spread>},
                           {names[3], on<version, pattern::fft>},
                           {names[4], on<version, pattern::tree>},
                           {names[5], on<version, pattern::random>}});
}

}  // namespace bench::grain
