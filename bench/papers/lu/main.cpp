// SPDX-License-Identifier: Apache-2.0
// Blocked LU of a dense matrix, without pivoting: in Split-C's words and in CC++'s, by global pointers and by calls, by threads,
// and LAPACK's for scale.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <fmt/format.h>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/lu/calls.hpp"
#include "bench/papers/lu/in_ccpp.hpp"
#include "bench/papers/lu/in_splitc.hpp"
#include "bench/papers/lu/lapack.hpp"
#include "bench/papers/lu/pointers.hpp"
#include "bench/papers/lu/threads.hpp"

namespace {

namespace am = armilla;
using namespace lu;

struct settings {
  shape matrix;
  std::string kernels = "best";
  int workers = 0;  ///< threads of the baselines; 0: as many as ranks
};

kernels kernels_of(const settings& s) {
  if (s.kernels == "plain") return plain_kernels(s.matrix.block);
  return s.kernels == "blas" ? blas_kernels() : best_kernels(s.matrix.block);
}

/// The matrix, and what its factors must be.
struct problem {
  settings how;
  kernels by;
  test_matrix a;
  verdict expected;

  explicit problem(const settings& s) : how(s), by(kernels_of(s)), a(s.matrix.size), expected(reference_of(a)) {}

  papers::record describe(const char* version, const char* source) const {
    const shape& m = how.matrix;
    return {.version = version,
            .size = {{"n", m.size}, {"block", m.block}, {"kernels", by.name}},
            .unit = "ms",
            .checks = {{"last_pivot", fmt::format("{:.8g}", expected.last)},
                       {"log_sum", fmt::format("{:.10g}", expected.log_sum)},
                       {"negative", expected.negative}},
            .source = source};
  }
};

double milliseconds(double seconds) { return seconds * 1e3; }

/// The factors, row by row: `block(i, j)` gives a block.
template <class Block>
std::vector<double> by_rows(const shape& s, Block&& block) {
  const int n = s.size, b = s.block;
  std::vector<double> all(std::size_t(n) * std::size_t(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < s.blocks(); ++j)
      std::copy_n(block(i / b, j) + i % b * b, b, all.data() + std::size_t(i) * std::size_t(n) + std::size_t(j * b));
  return all;
}

/// What all ranks have, on rank 0.
std::vector<double> gathered(am::distributed<served_part>& parts) {
  const grid g = grid::of(am::ranks());
  const shape& s = parts->matrix();
  std::vector<std::vector<double>> of_rank;
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    std::vector<double>& blocks = of_rank.emplace_back(std::size_t(s.size) * std::size_t(s.size));
    am::call_into<&served_part::blocks>(parts.on(r), std::span(blocks)).get();
  }
  return by_rows(s, [&](int i, int j) {
    const int rows_there = dealt{i % g.rows, g.rows}.below(s.blocks());
    return of_rank[std::size_t(g.owner(i, j))].data() + std::size_t(j / g.columns * rows_there + i / g.rows) * s.elements();
  });
}

using ranks = papers::runner<papers::armilla_job>;

/// A version of Armilla.
template <class F>
void measure(ranks& run, const problem& p, const char* version, const char* source, am::distributed<served_part>& parts,
             F&& factor) {
  if (!run.wants(version)) return;
  run.measure(p.describe(version, source),
              papers::work{.prepare = [&] { parts->reset(); },
                           .body = factor,
                           .right = [&] { return am::rank() != 0 || judge(p.a, gathered(parts)).agrees(p.expected); },
                           .value = milliseconds});
  am::fence();
}

void measure_threads(const papers::command_line& line, const problem& p) {
  papers::runner<papers::alone> run(line, {"threads", p.how.workers});
  const shape& s = p.how.matrix;
  shared_matrix shared(s);
  const grid g = grid::of(p.how.workers);
  double seconds = 0;
  const auto factor = [&] {
    papers::thread_barrier meet(g.rows * g.columns);
    papers::on_threads(g.rows * g.columns, [&](int me) {
      meet.wait();
      const double start = papers::seconds_now();
      eliminate(shared, g, me, meet, p.by);
      meet.wait();
      if (me == 0) seconds = papers::seconds_now() - start;
    });
  };
  run.measure(
      p.describe("threads", "bench/papers/lu/threads.hpp"),
      papers::work{
          .prepare = [&] { shared.fill(p.a); },
          .body = factor,
          .right = [&] { return judge(p.a, by_rows(s, [&](int i, int j) { return shared.block(i, j); })).agrees(p.expected); },
          .value = [&](double) { return milliseconds(seconds); }});
}

void measure_lapack(const papers::command_line& line, const problem& p) {
  papers::runner<papers::alone> run(line, {"lapack", p.how.workers});
  std::vector<double> a;
  std::vector<int> pivots;
  const int n = p.a.size();
  papers::record r{.version = "lapack", .size = {{"n", n}}, .unit = "ms"};
  const papers::seats cores(p.how.workers);
  blas_threads(p.how.workers);  // those that it makes begin where this thread may run
  if (!cores.place_others()) {
    std::fprintf(stderr, "paper_lu: without LAPACK, whose threads are fewer than %d; install an OpenBLAS with threads\n",
                 p.how.workers);
    return blas_threads(1);
  }
  cores.take(0);
  run.measure(std::move(r),
              papers::work{.prepare = [&] { a = p.a.by_columns(); },
                           .body = [&] { lapack_factor(a, n, pivots); },
                           .right = [&] { return accuracy_of(p.a, lapack_solve(a, n, pivots, p.a.right_side())).right(); },
                           .value = milliseconds});
  blas_threads(1);
}

void measure_all(const papers::command_line& line, settings s) {
  if (s.workers == 0) s.workers = am::ranks();
  const problem p(s);
  ranks run(line);
  blas_threads(1);
  {
    am::distributed<served_part> parts(p.a, s.matrix, grid::of(am::ranks()), p.by);
    in_splitc::elimination splitc(*parts);
    in_ccpp::elimination ccpp(*parts);
    by_pointers pointers(*parts);
    by_calls calls(parts);
    measure(run, p, "splitc", "bench/papers/lu/in_splitc.hpp", parts, [&] { splitc.eliminate(); });
    measure(run, p, "ccpp", "bench/papers/lu/in_ccpp.hpp", parts, [&] { ccpp.eliminate(); });
    measure(run, p, "pointers", "bench/papers/lu/pointers.hpp", parts, [&] { eliminate(*parts, pointers); });
    measure(run, p, "calls", "bench/papers/lu/calls.hpp", parts, [&] { eliminate(*parts, calls); });
  }
  if (am::rank() == 0 && run.wants("threads")) measure_threads(line, p);
  if (am::rank() == 0 && run.wants("lapack") && has_blas()) measure_lapack(line, p);
  am::barrier();
}

int refuse_unless_possible(const papers::command_line& line, const settings& s) {
  if (s.matrix.size % s.matrix.block != 0)
    return line.refuse(fmt::format("--size {}: must be a multiple of --block {}", s.matrix.size, s.matrix.block));
  const double n = s.matrix.size;  // each rank has the whole test matrix, and rank 0 the factors of all while it compares
  if (const int code = line.refuse_memory(fmt::format("--size {}", s.matrix.size), 8 * n * n * sizeof(double)); code != 0)
    return code;
  if (s.kernels == "blas" && !has_blas()) return line.refuse("--kernels blas: this was built without OpenBLAS");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  papers::command_line line("lu",
                            "Blocked LU of a dense matrix without pivoting: in Split-C, in CC++, by global pointers, by calls, "
                            "by threads; and LAPACK's.",
                            {"splitc", "ccpp", "pointers", "calls", "threads", "lapack"});
  settings s;
  bool by_message = false;
  line.number("--size", s.matrix.size, "rows and columns of the matrix", 1, 16384);
  line.number("--block", s.matrix.block, "rows and columns of a block; divides the size", 1, 4096);
  line.choice("--kernels", s.kernels, "what computes with blocks: loops, OpenBLAS, or what suits the block",
              {"plain", "blas", "best"});
  line.number("--workers", s.workers, "threads of the baselines; 0: as many as ranks", 0, 256);
  line.flag("--by-message", by_message, "pointers are carried by messages, too: memory that is shared is not used");
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = refuse_unless_possible(line, s); code != 0) return code;
  if (by_message) papers::cut_short_cut();
  return am::run(argc, argv, [&line, s] { measure_all(line, s); });
}
