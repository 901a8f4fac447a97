// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/kernels/updates.hpp"

namespace bench {

/// A random undirected graph, its vertices dealt out to the ranks in blocks of `1 << shift`, 16 edge ends a vertex on average.
struct graph {
  static constexpr int shift = 15;
  static constexpr std::uint32_t block = 1u << shift, degree = 8;

  std::uint32_t vertices;
  std::vector<std::uint32_t> first, to;  // neighbours of v: to[first[v]] .. to[first[v + 1]]

  explicit graph(int ranks) : vertices(std::uint32_t(ranks) * block), first(vertices + 1) {
    random_numbers next{17};
    const auto pick = [&] { return std::uint32_t((next() >> 32) * vertices >> 32); };
    std::vector<std::uint32_t> ends;
    for (std::uint32_t e = 0; e < vertices * degree; ++e) {
      ends.push_back(pick());
      ends.push_back(pick());
    }
    for (const std::uint32_t v : ends) ++first[v + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    to.resize(ends.size());
    std::vector<std::uint32_t> at(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < ends.size(); ++i) to[at[ends[i]]++] = ends[i ^ 1];
  }

  static constexpr int owner(std::uint32_t v) { return int(v >> shift); }
  static constexpr std::uint32_t local(std::uint32_t v) { return v & (block - 1); }
  double edges_a_rank() const { return double(to.size()) / double(vertices >> shift); }

  template <class F>
  void each_neighbour(std::uint32_t v, F&& f) const {
    for (std::uint32_t i = first[v]; i < first[v + 1]; ++i) f(to[i]);
  }
};

// Three algorithms in which a rank holds a block of the vertices and sends items to the owners of their neighbours. `Mover`
// sends an item to a rank (`send`), has all of a round taken in by the owners' `take` (`deliver`), and asks whether any
// rank has more to do (`any`). Each checks its part against one thread's answer (`right`).

struct breadth_first {
  struct item {
    std::uint32_t vertex;  // local number
  };
  const graph& g;
  std::uint32_t base;
  std::uint32_t level = 0;
  std::vector<std::uint32_t> depth, frontier, next;

  breadth_first(const graph& of, int rank) : g(of), base(std::uint32_t(rank) << graph::shift), depth(graph::block, ~0u) {
    if (rank == 0) take({0});
  }
  void take(item i) {
    if (depth[i.vertex] != ~0u) return;
    depth[i.vertex] = level;
    next.push_back(i.vertex);
  }
  template <class Mover>
  void run(Mover& m) {
    for (advance(); m.any(!frontier.empty()); advance()) {
      for (const std::uint32_t u : frontier)
        g.each_neighbour(base + u, [&](std::uint32_t w) { m.send(graph::owner(w), item{graph::local(w)}); });
      m.deliver();
    }
  }
  bool right() const;

 private:
  // Before the ranks agree to go on: items of the new level may come as soon as they have.
  void advance() {
    frontier.swap(next);
    next.clear();
    ++level;
  }
};

struct components {
  struct item {
    std::uint32_t vertex, label;
  };
  const graph& g;
  std::uint32_t base;
  std::vector<std::uint32_t> label, changed, next;
  std::vector<bool> waiting;

  components(const graph& of, int rank)
      : g(of), base(std::uint32_t(rank) << graph::shift), label(graph::block), next(graph::block), waiting(graph::block, true) {
    std::iota(label.begin(), label.end(), base);
    std::iota(next.begin(), next.end(), 0u);
  }
  void take(item i) {
    if (label[i.vertex] <= i.label) return;
    label[i.vertex] = i.label;
    if (!waiting[i.vertex]) next.push_back(i.vertex);
    waiting[i.vertex] = true;
  }
  template <class Mover>
  void run(Mover& m) {
    for (advance(); m.any(!changed.empty()); advance()) {
      for (const std::uint32_t u : changed)
        g.each_neighbour(base + u, [&](std::uint32_t w) { m.send(graph::owner(w), item{graph::local(w), label[u]}); });
      m.deliver();
    }
  }
  bool right() const;

 private:
  void advance() {
    changed.swap(next);
    next.clear();
    for (const std::uint32_t u : changed) waiting[u] = false;
  }
};

struct page_rank {
  struct item {
    double share;
    std::uint64_t vertex;
  };
  static constexpr int rounds = 10;
  static constexpr double damping = 0.85;
  const graph& g;
  std::uint32_t base;
  std::vector<double> rank, sum;

  page_rank(const graph& of, int me)
      : g(of), base(std::uint32_t(me) << graph::shift), rank(graph::block, 1.0 / of.vertices), sum(graph::block) {}
  void take(item i) { sum[i.vertex] += i.share; }
  template <class Mover>
  void run(Mover& m) {
    for (int round = 0; round < rounds; ++round) {
      for (std::uint32_t u = 0; u < graph::block; ++u) {
        const double share = rank[u] / (g.first[base + u + 1] - g.first[base + u]);
        g.each_neighbour(base + u, [&](std::uint32_t w) { m.send(graph::owner(w), item{share, graph::local(w)}); });
      }
      m.deliver();
      for (std::uint32_t u = 0; u < graph::block; ++u) {
        rank[u] = (1 - damping) / g.vertices + damping * sum[u];
        sum[u] = 0;
      }
      m.deliver();
    }
  }
  bool right() const;
};

}  // namespace bench
