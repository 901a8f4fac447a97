// SPDX-License-Identifier: Apache-2.0
// A program that uses MPI for itself and Armilla beside it: it begins and ends MPI, and calls of both take turns.
#include <mpi.h>

#include <cstdio>
#include <functional>

#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s\n", int(am::rank()), what);
}

void both_in_turn() {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(rank == am::rank() && size == am::ranks(), "MPI and Armilla number the ranks otherwise");
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  const int before = (rank + size - 1) % size;
  for (int i = 0; i < 100; ++i) {
    const int asked = am::call(next, [](int n) { return n + int(am::rank()); }, i).get();
    expect(asked == i + next, "a call gives another number");
    am::barrier();  // a rank that waits inside MPI answers no calls: a rank that still asks would wait for it
    int got = -1;
    MPI_Sendrecv(&i, 1, MPI_INT, int(next), i, &got, 1, MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got == i, "an MPI message brings another number");
    if (i % 20 != 0) continue;
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(am::all_reduce(rank, std::plus<>{}) == sum, "sums differ");
  }
  am::fence();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const int code = am::run(argc, argv, both_in_turn);
  int all = 0;  // MPI goes on behind the job
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return code != 0 ? code : all != 0;
}
