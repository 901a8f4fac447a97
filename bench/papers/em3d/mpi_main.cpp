// SPDX-License-Identifier: Apache-2.0
// EM3D by hand in MPI, one-sided and two-sided: what the versions with Armilla are compared with.
#include "bench/papers/em3d/measure.hpp"
#include "bench/papers/em3d/mpi_base.hpp"
#include "bench/papers/em3d/mpi_bulk.hpp"
#include "bench/papers/em3d/mpi_bulk_put.hpp"
#include "bench/papers/em3d/mpi_ghost.hpp"

namespace papers {
namespace {

using namespace em3d;

void run_all(const command_line& line, const em3d_options& how) {
  runner<mpi_job> run(line);
  for (const int remote : how.remote) {
    const shape graph = how.shape(remote, run.job().ranks());
    mpi_region mine(graph);
    em3d_problem p(run, how, graph, mine);
    p.measure<mpi_base>("base/one-sided", "bench/papers/em3d/mpi_base.hpp", mine);
    p.measure<mpi_ghost>("ghost/one-sided", "bench/papers/em3d/mpi_ghost.hpp", mine);
    p.measure<mpi_bulk_put>("bulk/one-sided", "bench/papers/em3d/mpi_bulk_put.hpp", mine);
    p.measure<mpi_bulk>("bulk/two-sided", "bench/papers/em3d/mpi_bulk.hpp", mine);
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("em3d", "EM3D by hand in MPI: base, ghost and bulk, one-sided and two-sided.",
                            {"base/one-sided", "ghost/one-sided", "bulk/one-sided", "bulk/two-sided"});
  papers::em3d_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  return papers::run_mpi("paper_em3d_mpi", [&] { papers::run_all(line, how); });
}
