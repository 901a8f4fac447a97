// SPDX-License-Identifier: Apache-2.0
// The library on a simulated cluster: times are the simulator's, for the network alone; what the processors do takes no time.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "armilla/armilla.hpp"
#include "bench/kernels/updates.hpp"
#include "bench/scale/collectives.hpp"
#include "bench/scale/simulated_rank.hpp"

namespace am = armilla;

namespace {

struct wishes {
  std::string program = "barrier";
  int repeat = 4;
  long updates = 1000;
  std::size_t bytes = 8;
};

double simulated_us() {
  const scale::in_simulator here;
  return MPI_Wtime() * 1e6;
}

long resident_bytes() {
  long all = 0, resident = 0;
  if (std::FILE* const f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "scale: %s: wrong result\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// What bodies change, of each rank: they share the statics of the process.
struct rank_state {
  std::uint64_t arrived = 0;
  std::vector<std::uint64_t> table;
};
std::vector<rank_state> states;

rank_state& here() { return states[std::size_t(am::rank())]; }

/// Microseconds for each of `n` calls of `f`, which all ranks make together, behind one that does not count.
template <class F>
double together(int n, const F& f) {
  f();
  am::barrier();
  const double start = simulated_us();
  for (int i = 0; i < n; ++i) f();
  return (simulated_us() - start) / n;
}

void fence_after_one_way_call() {
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  am::async(next, [] { ++here().arrived; });
  am::fence();
}

/// Random updates of a table of 1024 words a rank, and the fence behind them.
double histogram(long updates) {
  constexpr std::uint64_t words = 1024;
  std::vector<std::uint64_t>& mine = here().table;
  mine.assign(words, 0);
  am::barrier();
  bench::random_numbers next{std::uint64_t(am::rank()) + 1};
  const double start = simulated_us();
  for (long i = 0; i < updates; ++i) {
    const std::uint64_t at = next() % (words * std::uint64_t(am::ranks()));
    am::async(am::rank_t(at / words), [](std::uint64_t word) { ++here().table[word]; }, at % words);
  }
  am::fence();
  const double us = simulated_us() - start;
  std::uint64_t sum = 0;
  for (const std::uint64_t w : mine) sum += w;
  if (am::world().all_reduce(sum, std::plus<>{}) != std::uint64_t(updates) * std::uint64_t(am::ranks())) wrong("histogram");
  return us;
}

double measure(const wishes& w) {
  if (w.program == "barrier") return together(w.repeat, [] { am::barrier(); });
  if (w.program == "fence_idle") return together(w.repeat, [] { am::fence(); });
  if (w.program == "fence_busy") {
    const double us = together(w.repeat, fence_after_one_way_call);
    if (here().arrived != std::uint64_t(w.repeat) + 1) wrong("fence");
    return us;
  }
  if (w.program == "histogram") return histogram(w.updates);
  const auto call = scale::make_collective(w.program, w.bytes, am::rank(), am::ranks());
  const double us = together(w.repeat, [&] { call->run(); });
  if (!call->right()) wrong(w.program.c_str());
  return us;
}

double measure_mpi(const wishes& w) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto call = scale::make_collective(w.program, w.bytes, rank, ranks);  // null: mpi_barrier
  const auto once = [&] { call ? call->run() : void(MPI_Barrier(MPI_COMM_WORLD)); };
  once();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = simulated_us();
  for (int i = 0; i < w.repeat; ++i) once();
  double us = (simulated_us() - start) / w.repeat, slowest = 0;
  if (call && !call->right()) wrong(w.program.c_str());
  MPI_Reduce(&us, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

void print(const wishes& w, int ranks, double us, double rank_kib) {
  nlohmann::json line{{"program", w.program}, {"ranks", ranks}, {"bytes", w.bytes}, {"microseconds", us}};
  if (rank_kib > 0) line["kib_per_rank"] = rank_kib;
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

int run_here(const wishes& w) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (w.program.starts_with("mpi_")) {
    const double us = measure_mpi(w);
    if (rank == 0) print(w, ranks, us, 0);
    return 0;
  }
  states.resize(std::size_t(ranks));
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = resident_bytes();
  MPI_Barrier(MPI_COMM_WORLD);
  scale::simulated_rank here;
  return here.run([&] {
    const double us = measure(w);
    double slowest = am::world().all_reduce(us, [](double a, double b) { return a > b ? a : b; });
    if (rank == 0) print(w, ranks, slowest, double(resident_bytes() - before) / 1024 / ranks);
    return 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  wishes w;
  CLI::App options("Armilla on a simulated cluster: run it by smpirun, as bench/scale/scale.py does.");
  std::vector<std::string> programs = scale::collective_names();
  programs.insert(programs.end(), {"barrier", "fence_idle", "fence_busy", "histogram", "mpi_barrier"});
  options.add_option("program", w.program)->required()->check(CLI::IsMember(programs));
  options.add_option("--bytes", w.bytes, "of an array, or of what one rank gives to another")->check(CLI::Range(8, 1 << 30));
  options.add_option("--repeat", w.repeat, "calls measured")->check(CLI::Range(1, 1000));
  options.add_option("--updates", w.updates, "of the histogram, by each rank")->check(CLI::Range(1L, 100'000'000L));
  CLI11_PARSE(options, argc, argv);
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run_here(w);
  } catch (const std::exception& why) {
    std::fprintf(stderr, "scale: %s\n", why.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
