// SPDX-License-Identifier: Apache-2.0
// Suites order and matrix, and the sorts of suite algorithms: sorts and selections beside vqsort on one core, and two threads by
// hand, by libstdc++ and by TBB; stencils, transposes and conjugate gradients beside MPI.
#include <string>

#include "bench/harness/plan.hpp"

namespace bench {
namespace {

#ifdef ARMILLA_BENCH_OPENMP
constexpr bool open_mp = true;
#else
constexpr bool open_mp = false;
#endif

#ifdef ARMILLA_BENCH_TBB
constexpr bool have_tbb = true;
#else
constexpr bool have_tbb = false;
#endif

}  // namespace

void add_tbb_to(spec& row, double limit) {
  if (have_tbb) row.baselines.push_back({worker_kind::hand, "tbb_" + row.name, limit});
}

void add_orders(std::vector<spec>& t) {
  const auto sorted = [&](const char* suite, const char* name, const char* by_hand, double limit, const char* other = nullptr,
                          double other_limit = 0) {
    std::vector<baseline> by{{worker_kind::hand, by_hand, limit}};
    if (other != nullptr) by.push_back({worker_kind::hand, other, other_limit});
    t.push_back({.name = name, .suite = suite, .row = name, .size = 1 << 24, .iterations = 4, .baselines = by, .runs = 11});
  };
  sorted("algorithms", "sort", "hand_vqsort", 0.75, "hand_sort_sketch", 1.25);
  sorted("algorithms", "sort_double", "hand_vqsort_double", 0.75, "hand_sort_sketch_double", 1.25);
  sorted("algorithms", "sort_equal", "hand_vqsort_equal", 1.0);
  sorted("algorithms", "sort_pairs", "std_sort_pairs", 0.6, open_mp ? "gnu_sort_pairs" : nullptr, 0.6);
  add_tbb_to(t.back(), 0.6);
  sorted("order", "sort_log_uniform", "hand_vqsort_log_uniform", 0.75, "hand_sort_sketch_log_uniform", 1.25);
  sorted("order", "sort_letters", "std_sort_letters", 0.6, open_mp ? "gnu_sort_letters" : nullptr, 0.6);
  add_tbb_to(t.back(), 0.6);
  // A thousand distinct keys; one key half of the time; in order; in reverse; all on one rank. Beside uniform ones.
  for (const char* const name : {"sort_few", "sort_half_equal", "sort_sorted", "sort_reversed", "sort_ragged"}) {
    sorted("order", name, "sort", 1.5);
    t.back().baselines.front().worker = worker_kind::armilla;
  }
  const auto huge = [&](const char* name, const char* row, const char* by_hand, const char* sketch) {
    sorted("order", name, by_hand, 0.75, sketch, 1.25);
    t.back().row = row, t.back().size = 1 << 26, t.back().iterations = 1, t.back().runs = 5;
  };
  huge("sort_64m", "sort", "hand_vqsort", "hand_sort_sketch");
  huge("sort_double_64m", "sort_double", "hand_vqsort_double", "hand_sort_sketch_double");
  if (!open_mp) return;
  for (const std::string name : {"stable_sort", "sort_by_key", "argsort"}) {
    sorted("order", name.c_str(), ("gnu_" + name).c_str(), 1.0);
    add_tbb_to(t.back(), 1.0);
  }
  sorted("order", "nth_element", "gnu_nth_element", 1.0, "std_nth_element", 1.0);
  sorted("order", "top_k", "hand_top_k", 1.0);
}

void add_matrices(std::vector<spec>& t) {
  t.push_back({.name = "local_read",
               .suite = "matrix",
               .row = "local_read",
               .size = 4096,
               .iterations = 5000,
               .baselines = {{worker_kind::hand, "hand_local_read", 1.0}},
               .runs = 21});
  const auto square = [&](std::string name, const char* row, const char* by_mpi, long size, long iterations) {
    t.push_back({.name = std::move(name),
                 .suite = "matrix",
                 .row = row,
                 .size = size,
                 .iterations = iterations,
                 .baselines = {{worker_kind::mpi, by_mpi, 1.0}},
                 .runs = 11});
  };
  square("stencil_64", "stencil", "mpi_stencil", 64, 10'000);
  square("stencil_512", "stencil", "mpi_stencil", 512, 500);
  square("stencil_4096", "stencil", "mpi_stencil", 4096, 10);
  square("transpose", "transpose", "mpi_transpose", 4096, 4);
  // Steps of conjugate gradients: a million unknowns of five entries, and as many and as dense ones as bcsstk13 has.
  square("cg_poisson", "cg_poisson", "mpi_cg_poisson", 1'000'000, 100);
  t.back().baselines.front().limit = 0.9;
  square("cg_stiff", "cg_stiff", "mpi_cg_stiff", 2003, 1000);
  t.back().baselines.front().limit = 0.9;
  t.push_back({.name = "compile_sort",
               .suite = "matrix",
               .row = "compile_sort",
               .unit = "s",
               .baselines = {{worker_kind::compiler, "compile_std_sort", 2.0}},
               .runs = 10,
               .worker = worker_kind::compiler});
}

}  // namespace bench
