// SPDX-License-Identifier: Apache-2.0
// EM3D by global pointers in the paper's three versions.
#include "bench/kernels/em3d.hpp"

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"
#include "examples/em3d/base_by_pointers.hpp"
#include "examples/em3d/bulk_by_pointers.hpp"
#include "examples/em3d/ghost_by_pointers.hpp"

namespace bench::suites {
namespace {

template <class Version>
double row(row_context& c) {
  em3d::region mine(em3d_graph(c));
  return em3d_row<Version>(c, mine, [] { am::barrier(); });
}

}  // namespace

void add_em3d(row_table& rows) {
  rows.insert(rows.end(), {{"em3d_base", row<em3d::base_by_pointers>},
                           {"em3d_ghost", row<em3d::ghost_by_pointers>},
                           {"em3d_bulk", row<em3d::bulk_by_pointers>}});
}

}  // namespace bench::suites
