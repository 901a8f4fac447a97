// SPDX-License-Identifier: Apache-2.0
// The matrix multiplication by hand in MPI: blocks are got from windows.
#include "bench/papers/mm/alone.hpp"
#include "bench/papers/mm/mpi_double_buffered.hpp"
#include "bench/papers/mm/mpi_get.hpp"
#include "bench/papers/mm/options.hpp"

namespace papers {
namespace {

template <class Version>
void measure(runner<mpi_job>& run, const mm_options& how, mm::mpi_matrices& m, const char* version, const char* source) {
  if (!run.wants(version)) return;
  Version multiplication(m);
  measure_mm(run, how, m, version, source, multiplication, [&] { m.reset(); }, [&] { return m.agrees(); });
}

void run_all(const command_line& line, const mm_options& how) {
  mm::use_one_thread();
  runner<mpi_job> run(line);
  for (const int side : how.sides) {
    const mm::layout l{how.blocks, side, run.job().ranks()};
    if (run.wants("dgemm")) {
      mm::alone dgemm(l, run.job().rank());
      measure_mm(run, how, l, "dgemm", "", dgemm, [] {}, [&] { return dgemm.agrees(); });
    }
    mm::mpi_matrices m(l);
    measure<mm::mpi_get>(run, how, m, "get", "bench/papers/mm/mpi_get.hpp");
    measure<mm::mpi_double_buffered>(run, how, m, "double-buffered", "bench/papers/mm/mpi_double_buffered.hpp");
    run.job().barrier();
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("mm", "Matrix multiplication of 8 x 8 blocks that lie on all ranks, in MPI.",
                            {"dgemm", "get", "double-buffered"});
  papers::mm_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  return papers::run_mpi("paper_mm_mpi", [&] { papers::run_all(line, how); });
}
