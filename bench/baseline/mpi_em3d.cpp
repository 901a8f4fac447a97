// SPDX-License-Identifier: Apache-2.0
// EM3D in the paper's three versions. Base reads each far value when it needs it (get and flush), ghost gets every far
// node once a half step and waits for all together, bulk has the owners send what is wanted in one message each.
#include "bench/baseline/mpi.hpp"
#include "bench/baseline/mpi_window.hpp"
#include "bench/kernels/em3d.hpp"

namespace bench::mpi {
namespace {

constexpr int nodes = em3d_graph::nodes;

/// The graph, this rank's values in a window (room for ghosts behind those of each kind), and the check at the end.
struct problem {
  row_context& c;
  em3d_graph g;
  int room;
  window<double> values;

  explicit problem(row_context& context)
      : c(context), g(context.ranks, context.size), room(nodes * context.ranks), values(std::size_t(em3d_graph::kinds * room)) {
    em3d_values first(g.ranks);
    for (int kind = 0; kind < 2; ++kind) std::copy_n(first.of(c.rank, kind), nodes, of(kind));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double* of(int kind) const { return values.data() + kind * room; }
  double* ghosts_of(int kind) const { return of(kind) + nodes; }

  /// Nanoseconds per edge of `half(kind)`, done for both kinds by turns.
  template <class F>
  double run(F&& half) {
    const double per_step = time_per(c.iterations, [&](long n) {
      for (long s = 0; s < n; ++s) {
        half(0);
        half(1);
      }
    });
    c.sync();
    const long steps = c.iterations + std::max(1L, c.iterations / 10);
    verify(em3d_right(g, c.rank, steps, of(0), of(1)), "EM3D");
    return per_step / (em3d_graph::kinds * em3d_graph::edges);
  }

  void meet() const {
    MPI_Win_sync(values.handle());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(values.handle());
  }
};

double base(row_context& c) {
  problem p(c);
  return p.run([&](int kind) {
    const double* near = p.of(1 - kind);
    em3d_half(p.g.edges_of(c.rank, kind), p.of(kind), [&](const em3d_graph::edge& e) {
      if (e.rank == c.rank) return near[e.node];
      double value;
      MPI_Get(&value, 1, MPI_DOUBLE, e.rank, (1 - kind) * p.room + e.node, 1, MPI_DOUBLE, p.values.handle());
      MPI_Win_flush(e.rank, p.values.handle());
      return value;
    });
    p.meet();
  });
}

double ghost(row_context& c) {
  problem p(c);
  const em3d_ghosts both[2] = {{p.g, c.rank, 0}, {p.g, c.rank, 1}};
  return p.run([&](int kind) {
    double* copy = p.ghosts_of(1 - kind);
    for (const auto& [rank, node] : both[kind].list)
      MPI_Get(copy++, 1, MPI_DOUBLE, rank, (1 - kind) * p.room + node, 1, MPI_DOUBLE, p.values.handle());
    MPI_Win_flush_all(p.values.handle());
    both[kind].compute(p.of(1 - kind), p.of(kind));
    p.meet();
  });
}

/// One message to each rank that wants values, one from each that has some; no barrier is needed beside them.
struct bulk_exchange {
  std::vector<std::vector<int>> wanted;  ///< by rank: which of my nodes it reads
  std::vector<std::vector<double>> packed;
  std::vector<MPI_Request> requests;

  bulk_exchange(const problem& p, int kind) : wanted(std::size_t(p.g.ranks)), packed(std::size_t(p.g.ranks)) {
    for (int r = 0; r < p.g.ranks; ++r)
      for (const em3d_ghosts::ghost& x : em3d_ghosts(p.g, r, kind).list)
        if (x.rank == p.c.rank) wanted[std::size_t(r)].push_back(x.node);
    for (std::size_t r = 0; r < wanted.size(); ++r) packed[r].resize(wanted[r].size());
  }

  void run(const em3d_ghosts& ghosts, const double* values, double* copies, int kind) {
    requests.clear();
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      const int count = ghosts.first[r + 1] - ghosts.first[r];
      if (count > 0) MPI_Irecv(copies + ghosts.first[r], count, MPI_DOUBLE, int(r), kind, MPI_COMM_WORLD, add());
    }
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      if (wanted[r].empty()) continue;
      for (std::size_t i = 0; i < wanted[r].size(); ++i) packed[r][i] = values[wanted[r][i]];
      MPI_Isend(packed[r].data(), int(packed[r].size()), MPI_DOUBLE, int(r), kind, MPI_COMM_WORLD, add());
    }
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  MPI_Request* add() { return &requests.emplace_back(); }
};

double bulk(row_context& c) {
  problem p(c);
  const em3d_ghosts both[2] = {{p.g, c.rank, 0}, {p.g, c.rank, 1}};
  bulk_exchange exchange[2] = {{p, 0}, {p, 1}};
  for (bulk_exchange& x : exchange) x.requests.reserve(std::size_t(2 * c.ranks));
  return p.run([&](int kind) {
    exchange[kind].run(both[kind], p.of(1 - kind), p.ghosts_of(1 - kind), kind);
    both[kind].compute(p.of(1 - kind), p.of(kind));
  });
}

}  // namespace

void add_em3d(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_em3d_base", base}, {"mpi_em3d_ghost", ghost}, {"mpi_em3d_bulk", bulk}});
}

}  // namespace bench::mpi
