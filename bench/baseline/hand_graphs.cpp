// SPDX-License-Identifier: Apache-2.0
// Graph algorithms by hand, as the GAP benchmark suite has them: two threads of one process that share all arrays.
#include "bench/baseline/hand_graphs.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace bench::hand {
namespace {

/// Direction-optimising, with a shared queue, and bitmaps for the way from below.
std::vector<std::int32_t> search(const rows_of_graph& g, vertex root) {
  const std::size_t n = g.size();
  std::vector<std::int32_t> level(n, -1);
  std::vector<vertex> queue(n), next_queue(n);
  std::vector<std::uint64_t> front((n + 63) / 64), next((n + 63) / 64);
  level[root] = 0;
  queue[0] = root;
  std::size_t last = 1;  // of the queue
  std::atomic<std::size_t> found = 0;
  std::atomic<std::uint64_t> leaving = 0;
  std::uint64_t unexplored = g.to.size(), scout = g.degree(root);
  std::int32_t depth = 0;
  const auto down = [&](two_threads& t, int) {
    std::vector<vertex> mine;
    std::uint64_t edges = 0;
    t.each(last, 64, [&](std::size_t k) {
      const vertex v = queue[k];
      for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) {
        const vertex w = g.to[j];
        if (load(level[w]) < 0 && swap_if(level[w], -1, depth)) mine.push_back(w), edges += g.degree(w);
      }
    });
    std::copy(mine.begin(), mine.end(), next_queue.begin() + std::ptrdiff_t(found.fetch_add(mine.size())));
    leaving += edges;
  };
  const auto up = [&](two_threads& t, int) {
    std::size_t awake = 0;
    t.each(n / 64 + 1, 16, [&](std::size_t word) {
      std::uint64_t bits = 0;
      for (std::size_t v = word * 64; v < std::min(n, word * 64 + 64); ++v) {
        if (level[v] >= 0) continue;
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j)
          if ((front[g.to[j] / 64] >> g.to[j] % 64 & 1) != 0) {
            level[v] = depth;
            bits |= std::uint64_t{1} << v % 64;
            ++awake;
            break;
          }
      }
      if (word < next.size()) next[word] = bits;
    });
    found += awake;
  };
  // One region of threads for the whole search: a level is a few microseconds where the graph is deep.
  two_threads all([&](two_threads& t, int me) {
    while (last != 0) {
      const bool from_below = scout > unexplored / 15;
      t.meet();  // both have looked
      if (from_below) {
        if (me == 0) {
          std::fill(front.begin(), front.end(), 0);
          for (std::size_t k = 0; k < last; ++k) front[queue[k] / 64] |= std::uint64_t{1} << queue[k] % 64;
        }
        std::size_t before = 0, awake = last;
        do {
          t.meet();
          if (me == 0) ++depth, found = 0;
          t.meet();
          up(t, me);
          t.meet();
          before = awake, awake = found;
          t.meet();
          if (me == 0) front.swap(next);
        } while (awake >= before || awake > n / 18);
        t.meet();
        if (me == 0) {
          last = 0;
          for (std::size_t v = 0; v < n; ++v)
            if ((front[v / 64] >> v % 64 & 1) != 0) queue[last++] = vertex(v);
          scout = 1;
        }
        t.meet();
      } else {
        if (me == 0) ++depth, unexplored -= scout, found = 0, leaving = 0;
        t.meet();
        down(t, me);
        t.meet();
        if (me == 0) last = found, scout = leaving, queue.swap(next_queue);
        t.meet();
      }
    }
  });
  return level;
}

/// Afforest.
std::vector<vertex> join(const rows_of_graph& g) {
  const std::size_t n = g.size();
  std::vector<vertex> part(n);
  const auto link = [&](vertex a, vertex b) {
    vertex p = load(part[a]), q = load(part[b]);
    while (p != q) {
      const vertex high = std::max(p, q), low = std::min(p, q), above = load(part[high]);
      if (above == low || (above == high && swap_if(part[high], high, low))) break;
      p = load(part[load(part[high])]), q = load(part[low]);
    }
  };
  const auto compress = [&](std::size_t v) {
    while (load(part[v]) != load(part[load(part[v])]))
      std::atomic_ref(part[v]).store(load(part[load(part[v])]), std::memory_order_relaxed);
  };
  two_threads all([&](two_threads& t, int) {
    t.each(n, 4096, [&](std::size_t v) { part[v] = vertex(v); });
    for (std::uint64_t k = 0; k < 2; ++k) {
      t.each(n, 4096, [&](std::size_t v) {
        if (k < g.degree(vertex(v))) link(vertex(v), g.to[g.begin[v] + k]);
      });
      t.each(n, 4096, compress);
    }
    std::minstd_rand random;
    std::vector<vertex> some(1024);
    for (vertex& r : some) r = part[random() % n];
    std::sort(some.begin(), some.end());
    vertex largest = 0;
    for (std::size_t k = 0, begin = 0, most = 0; k < some.size(); ++k) {
      if (some[k] != some[begin]) begin = k;
      if (k - begin + 1 > most) most = k - begin + 1, largest = some[k];
    }
    t.meet();
    t.each(n, 1024, [&](std::size_t v) {
      if (load(part[v]) == largest) return;
      for (std::uint64_t j = g.begin[v] + 2; j < g.begin[v + 1]; ++j) link(vertex(v), g.to[j]);
    });
    t.each(n, 4096, compress);
  });
  return part;
}

std::vector<double> share_out(const rows_of_graph& g, int rounds) {
  const std::size_t n = g.size();
  std::vector<double> rank(n, 1 / double(n)), share(n);
  double dangling[2] = {};
  two_threads all([&](two_threads& t, int me) {
    for (int round = 0; round < rounds; ++round) {
      double mine = 0;
      t.each(n, 16384, [&](std::size_t v) {
        const auto degree = g.degree(vertex(v));
        share[v] = degree == 0 ? 0 : rank[v] / double(degree);
        if (degree == 0) mine += rank[v];
      });
      dangling[me] = mine;
      t.meet();
      const double base = 0.15 / double(n) + 0.85 * (dangling[0] + dangling[1]) / double(n);
      t.each(n, 4096, [&](std::size_t v) {
        double sum = 0;
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) sum += share[g.to[j]];
        rank[v] = base + 0.85 * sum;
      });
    }
  });
  return rank;
}

constexpr std::int64_t no_path = std::numeric_limits<std::int64_t>::max();

/// Delta-stepping with a shared queue a step, and buckets of each thread.
std::vector<std::int64_t> extend(const rows_of_graph& g, vertex root, std::int64_t delta) {
  std::vector<std::int64_t> length(g.size(), no_path);
  std::vector<vertex> queue(g.to.size() + 1);
  length[root] = 0;
  queue[0] = root;
  std::size_t last = 1;
  std::int64_t now = 0;
  std::atomic<std::size_t> found = 0;
  std::atomic<std::int64_t> lowest = no_path;
  two_threads all([&](two_threads& t, int me) {
    std::vector<std::vector<vertex>> buckets;
    const auto relax = [&](vertex v) {
      for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) {
        const vertex w = g.to[j];
        const std::int64_t d = load(length[v]) + g.weight[j];
        for (std::int64_t old = load(length[w]); d < old; old = load(length[w])) {
          if (!swap_if(length[w], old, d)) continue;
          const auto b = std::size_t(d / delta);
          if (b >= buckets.size()) buckets.resize(b + 1);
          buckets[b].push_back(w);
          break;
        }
      }
    };
    while (now != no_path) {
      t.each(last, 64, [&](std::size_t k) {
        if (load(length[queue[k]]) >= delta * now) relax(queue[k]);
      });
      for (auto b = std::size_t(now); b < buckets.size() && !buckets[b].empty() && buckets[b].size() < 1000;) {
        std::vector<vertex> mine;
        mine.swap(buckets[b]);
        for (const vertex v : mine) relax(v);
      }
      if (me == 0) found = 0, lowest = no_path;
      t.meet();
      for (auto b = std::size_t(now); b < buckets.size(); ++b)
        if (!buckets[b].empty()) {
          for (std::int64_t low = lowest; std::int64_t(b) < low && !lowest.compare_exchange_weak(low, std::int64_t(b));) {}
          break;
        }
      t.meet();
      const std::int64_t next = lowest;
      if (next != no_path && std::size_t(next) < buckets.size()) {
        auto& bucket = buckets[std::size_t(next)];
        std::copy(bucket.begin(), bucket.end(), queue.begin() + std::ptrdiff_t(found.fetch_add(bucket.size())));
        bucket.clear();
      }
      t.meet();
      if (me == 0) last = found, now = next;
      t.meet();
    }
  });
  return length;
}

double levels(row_context& c) {
  const std::uint64_t root = root_of_graph(c.size);
  return by_threads(
      c, [&](const rows_of_graph& g) { return search(g, vertex(root)); },
      [&](const auto& edges, const auto& all) { verify(right_levels(edges, all, root), "bfs by hand"); });
}
double labels(row_context& c) {
  return by_threads(
      c, [](const rows_of_graph& g) { return join(g); },
      [](const auto& edges, const auto& all) { verify(right_labels(edges, all), "components by hand"); });
}
double ranks(row_context& c) {
  return by_threads(
      c, [](const rows_of_graph& g) { return share_out(g, 10); },
      [](const auto&, const auto& all) { verify(right_ranks(all), "pagerank by hand"); });
}
double lengths(row_context& c) {
  const std::uint64_t root = root_of_graph(c.size);
  return by_threads(
      c,
      [&](const rows_of_graph& g) {
        return extend(g, vertex(root), std::max<std::int64_t>(1, 255 * std::int64_t(g.size()) / std::int64_t(g.to.size())));
      },
      [&](const auto& edges, const auto& all) { verify(right_lengths(edges, all, root, no_path), "sssp by hand"); });
}

}  // namespace

void add_graphs(row_table& rows) {
  rows.insert(rows.end(), {{"hand_bfs", levels}, {"hand_components", labels}, {"hand_pagerank", ranks}, {"hand_sssp", lengths}});
}

}  // namespace bench::hand
