// SPDX-License-Identifier: Apache-2.0
// EM3D with every value in shared memory and a spin barrier: the floor for a version that reads what it needs.
#include "bench/baseline/hand.hpp"
#include "bench/kernels/em3d.hpp"

namespace bench::hand {
namespace {

double em3d_loads(row_context& c) {
  const em3d_graph g(c.ranks, c.size);
  constexpr int own_values = em3d_graph::kinds * em3d_graph::nodes;
  auto* values = c.scratch<double>(4096);
  const auto of = [&](int rank, int kind) { return values + rank * own_values + kind * em3d_graph::nodes; };
  const em3d_values first(g.ranks);
  std::copy_n(&first.v[std::size_t(c.rank * own_values)], own_values, of(c.rank, 0));
  auto* flags = c.scratch<line>();
  flags[c.rank].word = 0;
  std::vector<const double*> from[2];
  for (int kind = 0; kind < 2; ++kind)
    for (int e = 0; e < em3d_graph::edges; ++e) {
      const em3d_graph::edge& x = g.edges_of(c.rank, kind)[e];
      from[kind].push_back(of(x.rank, 1 - kind) + x.node);
    }
  c.sync();
  std::uint64_t round = 0;
  const auto barrier = [&] {
    flags[c.rank].word.store(++round, std::memory_order_release);
    for (int r = 0; r < c.ranks; ++r)
      while (flags[r].word.load(std::memory_order_acquire) < round) c.relax();
  };
  const double per_step = time_per(c.iterations, [&](long n) {
    for (long s = 0; s < 2 * n; ++s) {
      const int kind = int(s % 2);
      const double* const* p = from[kind].data();
      em3d_half(g.edges_of(c.rank, kind), of(c.rank, kind), [&](const auto&) { return **p++; });
      barrier();
    }
  });
  c.sync();
  verify(em3d_right(g, c.rank, c.iterations + std::max(1L, c.iterations / 10), of(c.rank, 0), of(c.rank, 1)), "EM3D by loads");
  return per_step / (em3d_graph::kinds * em3d_graph::edges);
}

}  // namespace

void add_em3d(row_table& rows) { rows.push_back({"hand_em3d_loads", em3d_loads}); }

}  // namespace bench::hand
