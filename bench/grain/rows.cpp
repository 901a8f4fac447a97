// SPDX-License-Identifier: Apache-2.0
#include "bench/grain/rows.hpp"

#include "bench/suites/suites.hpp"

namespace bench::suites {

void add_grain(row_table& rows) {
  grain::add_patterns<grain::bulk>(rows, {"grain_bulk_stencil", "grain_bulk_nearest", "grain_bulk_spread", "grain_bulk_fft",
                                          "grain_bulk_tree", "grain_bulk_random"});
  grain::add_patterns<grain::calls>(rows, {"grain_calls_stencil", "grain_calls_nearest", "grain_calls_spread", "grain_calls_fft",
                                           "grain_calls_tree", "grain_calls_random"});
  grain::add_patterns<grain::fibers>(rows, {"grain_fibers_stencil", "grain_fibers_nearest", "grain_fibers_spread",
                                            "grain_fibers_fft", "grain_fibers_tree", "grain_fibers_random"});
}

}  // namespace bench::suites
