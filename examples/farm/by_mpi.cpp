// SPDX-License-Identifier: Apache-2.0
// A task farm by MPI: the rows of a picture of the Mandelbrot set, of which some take a thousand times as long as others. Rank 0
// has the rows; a rank that has time asks it for one. It counts points as well, and looks for two-way calls between its steps,
// for it would otherwise be the only rank that waits.
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>

namespace {

enum tag { wanted, given };
constexpr int no_row = -1;

struct picture {
  int rows, steps;
};

/// How many points of a row do not escape. Calls `between` behind each point.
template <class F>
long inside(const picture& p, int row, F between) {
  long n = 0;
  for (int column = 0; column < p.rows; ++column) {
    const std::complex<double> c(-2 + 2.5 * column / p.rows, -1.25 + 2.5 * row / p.rows);
    std::complex<double> z;
    int left = p.steps;
    for (; left > 0 && std::norm(z) < 4; --left)
      z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag() + c.imag()};
    n += left == 0;
    between();
  }
  return n;
}

/// Rank 0: the rows, for itself and for those that ask.
class farm {
 public:
  farm(const picture& p, int ranks) : picture_(p), working_(ranks - 1) {}

  long run() {
    long n = 0;
    while (next_ < picture_.rows) n += inside(picture_, next_++, [this] { serve(false); });
    while (working_ > 0) serve(true);
    return n;
  }

 private:
  /// Answers one two-way call, if there is one.
  void serve(bool wait) {
    int there = 1;
    MPI_Status status;
    if (wait)
      MPI_Probe(MPI_ANY_SOURCE, wanted, MPI_COMM_WORLD, &status);
    else if (working_ > 0)
      MPI_Iprobe(MPI_ANY_SOURCE, wanted, MPI_COMM_WORLD, &there, &status);
    if (working_ == 0 || there == 0) return;
    MPI_Recv(nullptr, 0, MPI_INT, status.MPI_SOURCE, wanted, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int row = next_ < picture_.rows ? next_++ : no_row;
    working_ -= row == no_row;
    MPI_Send(&row, 1, MPI_INT, status.MPI_SOURCE, given, MPI_COMM_WORLD);
  }

  picture picture_;
  int working_, next_ = 0;
};

long work(const picture& p) {
  long n = 0;
  for (;;) {
    int row = no_row;
    MPI_Sendrecv(nullptr, 0, MPI_INT, 0, wanted, &row, 1, MPI_INT, 0, given, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (row == no_row) return n;
    n += inside(p, row, [] {});
  }
}

bool count_points(const picture& p, int rank, int ranks) {
  const double start = MPI_Wtime();
  long all = rank == 0 ? farm(p, ranks).run() : work(p);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;
  long expected = 0;
  for (int row = rank; row < p.rows; row += ranks) expected += inside(p, row, [] {});
  MPI_Allreduce(MPI_IN_PLACE, &expected, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld points on %d ranks, %s (%.3f s)\n", all, ranks, all == expected ? "right" : "WRONG", time);
  return all == expected;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, result = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3)
    result = count_points({std::atoi(argv[1]), std::atoi(argv[2])}, rank, ranks) ? 0 : 1;
  else if (rank == 0)
    std::fprintf(stderr, "usage: %s ROWS STEPS\n", argv[0]);
  MPI_Finalize();
  return result;
}
