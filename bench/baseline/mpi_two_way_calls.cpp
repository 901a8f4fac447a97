// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks of the MRPC paper (section 5) by hand: rank 0 sends what a call would take, rank 1 answers with what it
// would return.
#include <mpi.h>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

enum tag { request, reply };

void send(const void* data, long bytes, int to, tag t) { MPI_Send(data, int(bytes), MPI_BYTE, to, t, MPI_COMM_WORLD); }
void receive(void* data, long bytes, int from, tag t) {
  MPI_Recv(data, int(bytes), MPI_BYTE, from, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// `size` bytes there, and word that they have come.
double write(row_context& c) {
  std::vector<double> there(std::size_t(c.size) / sizeof(double), 1.0);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        there.back() = double(i);
        send(there.data(), c.size, 1, request);
        receive(nullptr, 0, 1, reply);
      } else if (c.rank == 1) {
        receive(there.data(), c.size, 0, request);
        send(nullptr, 0, 0, reply);
      }
    }
    if (c.rank < 2) verify(there.back() == double(n - 1), "write");
  });
}

/// A request without words, and `size` bytes back.
double read(row_context& c) {
  std::vector<double> there(std::size_t(c.size) / sizeof(double), 1.0);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        send(nullptr, 0, 1, request);
        receive(there.data(), c.size, 1, reply);
      } else if (c.rank == 1) {
        receive(nullptr, 0, 0, request);
        there.back() = double(i);
        send(there.data(), c.size, 0, reply);
      }
    }
    if (c.rank < 2) verify(there.back() == double(n - 1), "read");
  });
}

/// One of 20 doubles that are asked for together, each by a message of its own.
double prefetch(row_context& c) {
  constexpr int together = 20;
  double there[together];
  const double all = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        MPI_Request open[2 * together];
        int which[together];
        for (int k = 0; k < together; ++k) {
          MPI_Irecv(&there[k], 1, MPI_DOUBLE, 1, reply, MPI_COMM_WORLD, &open[2 * k]);
          MPI_Isend(&(which[k] = k), 1, MPI_INT, 1, request, MPI_COMM_WORLD, &open[2 * k + 1]);
        }
        MPI_Waitall(2 * together, open, MPI_STATUSES_IGNORE);
        for (int k = 0; k < together; ++k) verify(there[k] == double(k), "prefetch");
      } else if (c.rank == 1) {
        for (int k = 0; k < together; ++k) {
          int which = 0;
          receive(&which, sizeof which, 0, request);
          const double value = which;
          send(&value, sizeof value, 0, reply);
        }
      }
    }
  });
  return all / together;
}

}  // namespace

void add_two_way_calls(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_write", write}, {"mpi_read", read}, {"mpi_prefetch_20", prefetch}});
}

}  // namespace bench::mpi
