// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "bench/baseline/hand.hpp"
#include "bench/harness/worker.hpp"

namespace bench::hand {
namespace {

int serve_rank(const std::string& coordinator, int rank, int ranks) {
  row_table rows;
  add_messages(rows);
  add_algorithms(rows);
  add_sorts(rows);
  add_compactions(rows);
  add_communities(rows);
  add_containers(rows);
  add_graphs(rows);
  add_local_tables(rows);
  add_memory(rows);
  add_updates(rows);
  add_em3d(rows);
  add_threads(rows);
  add_joins(rows);
  add_by_keys(rows);
#ifdef ARMILLA_BENCH_ABSEIL
  add_abseil(rows);
#endif
#ifdef ARMILLA_BENCH_BLAS
  add_gemm(rows);
#endif
#ifdef ARMILLA_BENCH_OPENMP
  add_gnu_orders(rows);
#endif
#ifdef ARMILLA_BENCH_GRAPHBLAS
  add_graphblas(rows);
#endif
#ifdef ARMILLA_BENCH_TBB
  add_tbb(rows);
#endif
#ifdef ARMILLA_BENCH_BOOST_FIBER
  add_boost_fiber(rows);
#endif
  try {
    pin(rank);
    serve(coordinator, rank, ranks, rows);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "armilla-bench, hand-written rank %d: %s\n", rank, e.what());
    return 1;
  }
}

}  // namespace

int work(const std::string& coordinator, int ranks) {
  for (int r = 1; r < ranks; ++r) {
    if (::fork() != 0) continue;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(serve_rank(coordinator, r, ranks));
  }
  const int result = serve_rank(coordinator, 0, ranks);
  while (::wait(nullptr) > 0) {}
  return result;
}

}  // namespace bench::hand
