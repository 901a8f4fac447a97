// SPDX-License-Identifier: Apache-2.0
// EM3D in the paper's three versions: base and ghost one-sided, bulk in one message from each owner to each reader.
#include "bench/baseline/mpi.hpp"
#include "bench/kernels/em3d.hpp"
#include "bench/papers/em3d/mpi_base.hpp"
#include "bench/papers/em3d/mpi_bulk.hpp"
#include "bench/papers/em3d/mpi_ghost.hpp"

namespace bench::mpi {
namespace {

template <class Version>
double row(row_context& c) {
  em3d::mpi_region mine(em3d_graph(c));
  return em3d_row<Version>(c, mine, [&mine] { mine.meet(); });
}

}  // namespace

void add_em3d(row_table& rows) {
  rows.insert(
      rows.end(),
      {{"mpi_em3d_base", row<em3d::mpi_base>}, {"mpi_em3d_ghost", row<em3d::mpi_ghost>}, {"mpi_em3d_bulk", row<em3d::mpi_bulk>}});
}

}  // namespace bench::mpi
