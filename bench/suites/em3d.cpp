// SPDX-License-Identifier: Apache-2.0
// EM3D by global pointers in the paper's three versions. Base reads through a global pointer whenever it needs a value,
// ghost gets every far node once a half step, bulk has the owners put what is wanted in one piece for each reader.
#include "bench/kernels/em3d.hpp"

#include <span>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

constexpr int nodes = em3d_graph::nodes;
using value_pointer = am::global_ptr<double>;

/// The graph, and the values of each kind in the segments, room for ghosts behind them.
struct problem {
  row_context& c;
  em3d_graph g;
  int room;
  value_pointer mine;
  std::vector<value_pointer> parts;
  double* values;

  explicit problem(row_context& context)
      : c(context),
        g(context.ranks, context.size),
        room(nodes * context.ranks),
        mine(am::allocate<double>(std::size_t(em3d_graph::kinds * room))),
        parts(am::world().gather_all(mine)),
        values(mine.local()) {
    em3d_values first(g.ranks);
    for (int kind = 0; kind < 2; ++kind) std::copy_n(first.of(c.rank, kind), nodes, of(kind));
    am::barrier();
  }
  ~problem() {
    am::barrier();
    am::deallocate(mine);
  }
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;

  double* of(int kind) const { return values + kind * room; }
  double* ghosts_of(int kind) const { return of(kind) + nodes; }
  value_pointer at(int rank, int kind, int place) const { return parts[std::size_t(rank)] + (kind * room + place); }

  /// Nanoseconds per edge of `half(kind)`, done for both kinds by turns; the values are checked.
  template <class F>
  double run(F&& half) {
    const double per_step = time_per(c.iterations, [&](long n) {
      for (long s = 0; s < n; ++s) {
        half(0);
        half(1);
      }
    });
    am::barrier();
    verify(em3d_right(g, c.rank, c.iterations + std::max(1L, c.iterations / 10), of(0), of(1)), "EM3D");
    return per_step / (em3d_graph::kinds * em3d_graph::edges);
  }
};

/// One kind's edges: where each gets its value, near or far, and how much that counts.
struct far_edges {
  std::vector<value_pointer> from;
  std::vector<double> weight;

  far_edges(const problem& p, int kind) {
    const em3d_graph::edge* e = p.g.edges_of(p.c.rank, kind);
    for (int i = 0; i < em3d_graph::edges; ++i) {
      from.push_back(p.at(e[i].rank, 1 - kind, e[i].node));
      weight.push_back(e[i].weight);
    }
  }
  void compute(double* own) const {
    const value_pointer* at = from.data();
    const double* w = weight.data();
    for (int n = 0; n < nodes; ++n) {
      double x = own[n];
      for (int i = 0; i < em3d_graph::degree; ++i) x -= *w++ * **at++;
      own[n] = x;
    }
  }
};

double base(row_context& c) {
  problem p(c);
  const far_edges both[2] = {{p, 0}, {p, 1}};
  return p.run([&](int kind) {
    both[kind].compute(p.of(kind));
    am::barrier();
  });
}

double ghost(row_context& c) {
  problem p(c);
  const em3d_ghosts both[2] = {{p.g, c.rank, 0}, {p.g, c.rank, 1}};
  std::vector<value_pointer> from[2];
  for (int kind = 0; kind < 2; ++kind)
    for (const auto& [rank, node] : both[kind].list) from[kind].push_back(p.at(rank, 1 - kind, node));
  return p.run([&](int kind) {
    double* copy = p.ghosts_of(1 - kind);
    for (const value_pointer& q : from[kind]) am::get(*copy++, q);
    am::sync();
    both[kind].compute(p.of(1 - kind), p.of(kind));
    am::barrier();
  });
}

/// What one rank reads of this one's nodes, and where it wants them.
struct outgoing {
  value_pointer to;
  std::vector<int> wanted;
  std::vector<double> packed;
};

std::vector<outgoing> outgoing_of(const problem& p, int reader_kind) {
  std::vector<outgoing> all;
  for (int r = 0; r < p.g.ranks; ++r) {
    const em3d_ghosts ghosts(p.g, r, reader_kind);
    const int first = ghosts.first[std::size_t(p.c.rank)], last = ghosts.first[std::size_t(p.c.rank) + 1];
    if (first == last) continue;
    outgoing o{p.at(r, 1 - reader_kind, nodes + first), {}, std::vector<double>(std::size_t(last - first))};
    for (int i = first; i < last; ++i) o.wanted.push_back(ghosts.list[std::size_t(i)].node);
    all.push_back(std::move(o));
  }
  return all;
}

double bulk(row_context& c) {
  problem p(c);
  const em3d_ghosts both[2] = {{p.g, c.rank, 0}, {p.g, c.rank, 1}};
  std::vector<outgoing> out[2] = {outgoing_of(p, 0), outgoing_of(p, 1)};
  return p.run([&](int kind) {
    const double* values = p.of(1 - kind);
    for (outgoing& o : out[kind]) {
      for (std::size_t i = 0; i < o.wanted.size(); ++i) o.packed[i] = values[o.wanted[i]];
      am::put(o.to, std::span<const double>(o.packed));
    }
    am::sync();
    am::barrier();  // every reader has what it needs, and has used what it had
    both[kind].compute(values, p.of(kind));
  });
}

}  // namespace

void add_em3d(row_table& rows) { rows.insert(rows.end(), {{"em3d_base", base}, {"em3d_ghost", ghost}, {"em3d_bulk", bulk}}); }

}  // namespace bench::suites
