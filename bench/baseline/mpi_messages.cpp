// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

double round_trip(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (c.rank == 1) {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    }
  });
}

void ask(int rank) {
  MPI_Send(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
  MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void answer(int rank) {
  MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

/// Rank 0 asks all others in turn.
double turns(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const int to = 1 + int(i % (c.ranks - 1));
      if (c.rank == 0) ask(to);
      if (c.rank == to) answer(0);
    }
  });
}

/// Every rank asks the next one at the same time.
double all_ask(row_context& c) {
  const int next = (c.rank + 1) % c.ranks, last = (c.rank + c.ranks - 1) % c.ranks;
  const auto shift = [](int to, int from) {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      shift(next, last);
      shift(last, next);
    }
  });
}

/// Blocks from rank 0 to rank 1, which looks at both ends of each; an answer at the end.
double stream(row_context& c) {
  constexpr long slots = 64;  // a multiple, as the row that this is compared with has
  std::vector<double> block(std::size_t(c.size) / sizeof(double));
  const int count = int(block.size());
  const auto round = [&](long n) {
    double sum = 0;
    for (long i = 0; c.rank < 2 && i < n; ++i) {
      if (c.rank == 0) {
        block.front() = block.back() = double(i);
        MPI_Send(block.data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      } else {
        MPI_Recv(block.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += block.front() + block.back();
      }
    }
    if (c.rank == 0) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (c.rank != 1) return;
    verify(sum == double(n) * double(n - 1), "blocks of the stream");
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  };
  return time_per(c.iterations / slots * slots, [&](long n) { round((n + slots - 1) / slots * slots); });
}

/// One block to and fro.
double ping(row_context& c) {
  std::vector<double> block(std::size_t(c.size) / sizeof(double));
  const int count = int(block.size());
  long turn = 0;
  return time_per(c.iterations, [&](long n) {
    const auto receive = [&] {
      MPI_Recv(block.data(), count, MPI_DOUBLE, 1 - c.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify(block.front() == double(turn) && block.back() == double(turn), "block that came back");
    };
    for (long i = 0; c.rank < 2 && i < n; ++i, ++turn) {
      if (c.rank == 1) receive();
      block.front() = block.back() = double(turn);
      MPI_Send(block.data(), count, MPI_DOUBLE, 1 - c.rank, 0, MPI_COMM_WORLD);
      if (c.rank == 0) receive();
    }
  });
}

double barrier(row_context& c) {
  return time_per(c.iterations, [](long n) {
    for (long i = 0; i < n; ++i) MPI_Barrier(MPI_COMM_WORLD);
  });
}

double allreduce(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const double mine = double(i + c.rank);
      double sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      verify(sum == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "allreduce");
    }
  });
}

/// To rank 0 only, and without waiting for rank 0's answer: ranks run ahead of each other as far as MPI lets them.
double reduce(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const double mine = double(i + c.rank);
      double sum = 0;
      MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      if (c.rank == 0) verify(sum == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "reduce");
    }
  });
}

/// In place: rank 0's array grows by the others' each time.
double reduce_array(row_context& c) {
  std::vector<double> data(std::size_t(c.size) / sizeof(double), 1.0);
  long sums = 0;
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i, ++sums)
      MPI_Reduce(c.rank == 0 ? MPI_IN_PLACE : data.data(), data.data(), int(data.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  });
  for (const double x : data) verify(x == (c.rank == 0 ? 1.0 + double(sums) * (c.ranks - 1) : 1.0), "reduce of an array");
  return result;
}

double allreduce_array(row_context& c) {
  std::vector<double> data(std::size_t(c.size) / sizeof(double), double(c.rank));
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) MPI_Allreduce(MPI_IN_PLACE, data.data(), int(data.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  });
  for (const double x : data) verify(x == double(c.ranks - 1), "allreduce of an array");
  return result;
}

double alltoall(row_context& c) {
  const std::size_t words = std::size_t(c.size) / 8, ranks = std::size_t(c.ranks);
  std::vector<std::uint64_t> out(words * ranks), in(words * ranks);
  for (std::size_t r = 0; r < ranks; ++r) std::fill_n(&out[r * words], words, std::uint64_t(c.rank) * 1000 + r);
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i)
      MPI_Alltoall(out.data(), int(c.size), MPI_BYTE, in.data(), int(c.size), MPI_BYTE, MPI_COMM_WORLD);
  });
  for (std::size_t r = 0; r < ranks; ++r) verify(in[r * words] == r * 1000 + std::uint64_t(c.rank), "alltoall");
  return result;
}

}  // namespace

void add_messages(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_rtt", round_trip},
                           {"mpi_turns", turns},
                           {"mpi_ring", all_ask},
                           {"mpi_stream", stream},
                           {"mpi_ping", ping},
                           {"mpi_barrier", barrier},
                           {"mpi_allreduce", allreduce},
                           {"mpi_reduce", reduce},
                           {"mpi_reduce_array", reduce_array},
                           {"mpi_allreduce_array", allreduce_array},
                           {"mpi_alltoall", alltoall}});
}

}  // namespace bench::mpi
