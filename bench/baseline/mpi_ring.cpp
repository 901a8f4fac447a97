// SPDX-License-Identifier: Apache-2.0
// Short frames through a ring of persistent receives from any source, as a network layer on MPI has to receive them, and long
// transfers straight from memory to memory.
#include <mpi.h>

#include <cstring>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

constexpr int frame_bytes = 40;  // what a message of 8 bytes weighs with its heads

class ring {
 public:
  explicit ring(row_context& c) : other_(1 - c.rank) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (int i = 0; i < receives; ++i) {
      in_[i] = memory_.data() + std::size_t(i + 1) * longest;
      MPI_Recv_init(in_[i], longest, MPI_BYTE, MPI_ANY_SOURCE, 0, comm_, &request_[i]);
      MPI_Start(&request_[i]);
    }
    MPI_Barrier(comm_);
  }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  ~ring() {
    MPI_Barrier(comm_);
    for (MPI_Request& r : request_) {
      MPI_Cancel(&r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
      MPI_Request_free(&r);
    }
    MPI_Comm_free(&comm_);
  }

  void send(std::uint64_t word) {
    std::memcpy(out_, &word, sizeof word);
    MPI_Request request;
    MPI_Isend(out_, frame_bytes, MPI_BYTE, other_, 0, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  std::uint64_t receive() {
    for (int done = 0; done == 0;) MPI_Test(&request_[at_], &done, MPI_STATUS_IGNORE);
    std::uint64_t word;
    std::memcpy(&word, in_[at_], sizeof word);
    MPI_Start(&request_[at_]);
    at_ = at_ + 1 == receives ? 0 : at_ + 1;
    return word;
  }

 private:
  static constexpr int receives = 16, longest = 65536;
  int other_, at_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_[receives];
  std::vector<char> memory_ = std::vector<char>(std::size_t(receives + 1) * longest);
  char* out_ = memory_.data();
  char* in_[receives] = {};
};

double ring_round_trip(row_context& c) {
  ring r(c);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) r.send(std::uint64_t(i));
      verify(r.receive() == std::uint64_t(i), "frame of a round trip");
      if (c.rank == 1) r.send(std::uint64_t(i));
    }
  });
}

/// One frame behind the other, with credit for `window` of them; a quarter of that is told at a time.
double ring_one_way(row_context& c) {
  constexpr long window = 4096, part = window / 4;
  ring r(c);
  return time_per(c.iterations, [&](long n) {
    std::uint64_t sum = 0;
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        if (i >= window && i % part == 0) r.receive();
        r.send(std::uint64_t(i));
      } else {
        sum += r.receive();
        if ((i + 1) % part == 0 && i + 1 + window - part < n) r.send(0);
      }
    }
    if (c.rank == 1) return r.send(sum);
    verify(r.receive() == std::uint64_t(n) * std::uint64_t(n - 1) / 2, "sum of frames");
  });
}

/// Messages of `size` bytes, four under way, into memory that is used again; ns each.
double bulk(row_context& c) {
  constexpr long under_way = 4;
  const auto bytes = std::size_t(c.size);
  std::vector<char> room(std::size_t(under_way) * bytes, 1);
  return time_per(c.iterations, [&](long n) {
    MPI_Request request[under_way];
    std::fill_n(request, under_way, MPI_REQUEST_NULL);
    for (long i = 0; i < n + under_way; ++i) {
      MPI_Request& one = request[i % under_way];
      MPI_Wait(&one, MPI_STATUS_IGNORE);
      if (i >= n) continue;
      char* at = room.data() + std::size_t(i % under_way) * bytes;
      if (c.rank == 0)
        MPI_Isend(at, int(bytes), MPI_BYTE, 1, 1, MPI_COMM_WORLD, &one);
      else
        MPI_Irecv(at, int(bytes), MPI_BYTE, 0, 1, MPI_COMM_WORLD, &one);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

}  // namespace

void add_ring(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_ring_rtt", ring_round_trip}, {"mpi_ring_oneway", ring_one_way}, {"mpi_bulk", bulk}});
}

}  // namespace bench::mpi
