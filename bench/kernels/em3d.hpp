// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "bench/kernels/updates.hpp"

namespace bench {

/// EM3D: a bipartite graph of electric and magnetic nodes; a step gives every E node the weighted sum of the H nodes it
/// hangs on, then the same the other way. 200 nodes and 4000 edges a rank. All versions sum in the same order, so their
/// values are equal to the last bit.
struct em3d_graph {
  static constexpr int kinds = 2;    // 0: E, 1: H
  static constexpr int nodes = 100;  // of one kind on one rank
  static constexpr int degree = 20;
  static constexpr int edges = nodes * degree;

  struct edge {
    double weight;
    int rank;
    int node;  // of the other kind on that rank
  };

  int ranks;
  std::vector<edge> from;  // [rank][kind][node][degree]

  em3d_graph(int ranks_in, long percent) : ranks(ranks_in) {
    random_numbers next{std::uint64_t(percent) * 1000 + std::uint64_t(ranks_in)};
    from.reserve(std::size_t(ranks) * kinds * edges);
    for (int r = 0; r < ranks; ++r)
      for (int e = 0; e < kinds * edges; ++e) from.push_back(draw(next, r, percent));
  }

  const edge* edges_of(int rank, int kind) const { return &from[std::size_t((rank * kinds + kind) * edges)]; }

  static double first_value(int rank, int kind, int node) { return 1.0 + rank + 0.25 * kind + 0.001 * node; }

 private:
  edge draw(random_numbers& next, int rank, long percent) const {
    const bool remote = ranks > 1 && long(next() % 100) < percent;
    const int other = remote ? (rank + 1 + int(next() % std::uint64_t(ranks - 1))) % ranks : rank;
    const int node = int(next() % nodes);
    const double weight = (double(next() >> 11) * 0x1p-53 - 0.5) / 80;
    return {weight, other, node};
  }
};

/// The values of all ranks, [rank][kind][node].
struct em3d_values {
  std::vector<double> v;
  explicit em3d_values(int ranks) : v(std::size_t(ranks) * em3d_graph::kinds * em3d_graph::nodes) {
    for (int r = 0; r < ranks; ++r)
      for (int k = 0; k < em3d_graph::kinds; ++k)
        for (int n = 0; n < em3d_graph::nodes; ++n) of(r, k)[n] = em3d_graph::first_value(r, k, n);
  }
  double* of(int rank, int kind) { return &v[std::size_t((rank * em3d_graph::kinds + kind) * em3d_graph::nodes)]; }
};

/// One half step of one rank: `value(edge)` gives the value at the far end.
template <class Value>
inline void em3d_half(const em3d_graph::edge* e, double* own, Value&& value) {
  for (int n = 0; n < em3d_graph::nodes; ++n) {
    double x = own[n];
    for (int i = 0; i < em3d_graph::degree; ++i, ++e) x -= e->weight * value(*e);
    own[n] = x;
  }
}

/// The values after `steps`, by one thread: what every version is checked against.
inline em3d_values em3d_reference(const em3d_graph& g, long steps) {
  em3d_values all(g.ranks);
  for (long s = 0; s < steps; ++s)
    for (int kind = 0; kind < em3d_graph::kinds; ++kind)
      for (int r = 0; r < g.ranks; ++r)
        em3d_half(g.edges_of(r, kind), all.of(r, kind),
                  [&](const em3d_graph::edge& e) { return all.of(e.rank, 1 - kind)[e.node]; });
  return all;
}

/// True when rank `rank`'s values are those of the reference after `steps`, to the last bit.
bool em3d_right(const em3d_graph& g, int rank, long steps, const double* e_values, const double* h_values);

/// What a rank needs to compute one kind of its nodes from copies: which far nodes it reads (each once, by rank), and for
/// each edge the place of its value in an array of its own nodes of the other kind followed by the copies.
struct em3d_ghosts {
  struct ghost {
    int rank, node;
  };
  std::vector<ghost> list;
  std::vector<int> first;  // first[r] .. first[r+1]: those that live on rank r
  std::vector<std::uint32_t> place;
  std::vector<double> weight;

  em3d_ghosts(const em3d_graph& g, int me, int reader_kind);

  void compute(const double* far, double* own) const {
    const std::uint32_t* at = place.data();
    const double* w = weight.data();
    for (int n = 0; n < em3d_graph::nodes; ++n) {
      double x = own[n];
      for (int i = 0; i < em3d_graph::degree; ++i) x -= *w++ * far[*at++];
      own[n] = x;
    }
  }
};

}  // namespace bench
