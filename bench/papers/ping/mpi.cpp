// SPDX-License-Identifier: Apache-2.0
// The pings by hand, several in a message: with blocking sends, and with one buffer under way while the other is filled.
#include "bench/papers/common/measure.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/ping/pings.hpp"

namespace papers {
namespace {

using namespace pings;

/// One rank's part of a game, with `together` pings in a message.
struct player {
  int rank;
  game g;
  std::uint64_t together;
  tally got = {};
  std::uint64_t pongs = 0;

  void pong() { MPI_Send(nullptr, 0, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD); }
  void await_pong() {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++pongs;
  }
  /// Fills a buffer with the pings from number `first` on, as many as are left; how many.
  std::uint64_t fill(std::vector<ping>& buffer, std::uint64_t first) const {
    const std::uint64_t n = std::min(together, g.pings - first);
    for (std::uint64_t i = 0; i < n; ++i) buffer[i] = numbered(first + i);
    return n;
  }
  std::uint64_t take(const std::vector<ping>& buffer, const MPI_Status& status) {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const std::uint64_t n = std::uint64_t(bytes) / sizeof(ping);
    for (std::uint64_t i = 0; i < n; ++i) got.take(buffer[i]);
    return n;
  }

  // parallel
  void packed() {
    std::vector<ping> buffer(together);
    for (std::uint64_t round = 0; round < g.rounds; ++round) {
      if (rank == 0) {
        for (std::uint64_t i = 0; i < g.pings; i += together)
          MPI_Send(buffer.data(), int(fill(buffer, i) * sizeof(ping)), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        await_pong();
      } else {
        MPI_Status status;
        for (std::uint64_t taken = 0; taken < g.pings; taken += take(buffer, status))
          MPI_Recv(buffer.data(), int(together * sizeof(ping)), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        pong();
      }
    }
  }
  // end of parallel

  void pipelined() {
    std::vector<ping> buffers[2] = {std::vector<ping>(together), std::vector<ping>(together)};
    for (std::uint64_t round = 0; round < g.rounds; ++round) {
      MPI_Request under_way[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      const std::uint64_t messages = (g.pings + together - 1) / together;
      const auto post = [&](std::uint64_t m) {
        if (m < messages)
          MPI_Irecv(buffers[m % 2].data(), int(together * sizeof(ping)), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &under_way[m % 2]);
      };
      if (rank == 0) {
        for (std::uint64_t m = 0; m < messages; ++m) {
          MPI_Wait(&under_way[m % 2], MPI_STATUS_IGNORE);
          const std::uint64_t n = fill(buffers[m % 2], m * together);
          MPI_Isend(buffers[m % 2].data(), int(n * sizeof(ping)), MPI_BYTE, 1, 0, MPI_COMM_WORLD, &under_way[m % 2]);
        }
        MPI_Waitall(2, under_way, MPI_STATUSES_IGNORE);
        await_pong();
      } else {
        post(0);
        post(1);
        for (std::uint64_t m = 0; m < messages; ++m) {
          MPI_Status status;
          MPI_Wait(&under_way[m % 2], &status);
          take(buffers[m % 2], status);
          post(m + 2);
        }
        pong();
      }
    }
  }
};

void measure(runner<mpi_job>& run, const char* version, void (player::*play)(), const game& g, std::uint64_t together) {
  if (!run.wants(version)) return;
  player me{run.job().rank(), g, together};
  run.measure(options::describe(version, g, together, "bench/papers/ping/mpi.cpp"),
              work{.prepare = [&] { me.got = {}, me.pongs = 0; },
                   .body =
                       [&] {
                         if (me.rank < 2) (me.*play)();
                         MPI_Barrier(MPI_COMM_WORLD);
                       },
                   .right =
                       [&] {
                         if (me.rank == 0) return me.pongs == g.rounds;
                         return me.rank != 1 || me.got == g.expected();
                       },
                   .value = [&](double seconds) { return g.ns_per_ping(seconds); }});
}

int run_all(const command_line& line, const options& how) {
  runner<mpi_job> run(line);
  if (run.job().ranks() < 2) return line.refuse_ranks(run.job().ranks(), 2);
  for (const std::uint64_t k : how.pings)
    for (const std::uint64_t together : how.together) {
      measure(run, "packed", &player::packed, how.of(k), together);
      measure(run, "pipelined", &player::pipelined, how.of(k), together);
    }
  return 0;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("ping", "Pings from rank 0 to rank 1, packed by hand, then a pong.", {"packed", "pipelined"});
  pings::options how({1, 8, 16, 32, 64, 96, 120, 128, 256, 512});  // 120: what Open MPI still sends at once
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return papers::run_mpi("ping", [&line, &how] { return papers::run_all(line, how); });
}
