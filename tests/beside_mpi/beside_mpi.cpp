// SPDX-License-Identifier: Apache-2.0
// A program that uses MPI for itself and Armilla beside it: it begins and ends MPI, and calls of both take turns. With a word:
// how it hangs, or how many ranks there are. Driven by mpi_scenes_test.py.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string_view>

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

// Rank 1 does not take in what rank 0 asks, for ever.
void hang(std::string_view how) {
  am::barrier();
  if (am::rank() == 1) {
    std::atomic<bool> never = false;
    std::mutex held;
    int got = 0;
    if (how == "recv") MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (how == "finalize") MPI_Finalize();
    while (how == "spin" && !never) {}
    if (how == "mutex") held.lock(), am::parfor(0, 2, [&](int i) { i == 0 ? am::yield() : held.lock(); });
    if (how == "pause") pause();
  }
  am::call((am::rank() + 1) % am::ranks(), [] {}).get();
}

void say_sizes() {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::printf("rank %d of %d, MPI's %d of %d\n", int(am::rank()), int(am::ranks()), rank, size);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view scene = argc > 1 ? argv[1] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const int code = am::run(argc, argv, [&] {
    if (scene.empty()) return both_in_turn();
    scene == "sizes" ? say_sizes() : hang(scene);
  });
  int all = 0;  // MPI goes on behind the job
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return code != 0 ? code : all != 0;
}
