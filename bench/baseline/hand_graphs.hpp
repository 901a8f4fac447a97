// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "bench/baseline/hand.hpp"
#include "bench/kernels/edges.hpp"

/// What graph algorithms by hand are made of: rows that two threads of one process share.
namespace bench::hand {

using vertex = std::uint32_t;

struct rows_of_graph {
  std::vector<std::uint64_t> begin;
  std::vector<vertex> to;
  std::vector<int> weight;

  explicit rows_of_graph(long size) : begin(std::size_t(size) + 1, 0) {
    struct end {
      vertex to;
      int weight;
    };
    const std::vector<bench_edge> edges = edges_of_graph(size, 0, 1);
    for (const auto& e : edges)
      if (e.from != e.to) ++begin[e.from + 1], ++begin[e.to + 1];
    for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
    std::vector<end> ends(begin.back());
    std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
    for (const auto& e : edges)
      if (e.from != e.to) {
        ends[next[e.from]++] = {vertex(e.to), e.weight};
        ends[next[e.to]++] = {vertex(e.from), e.weight};
      }
    for (std::size_t v = 0; v + 1 < begin.size(); ++v)
      std::sort(ends.begin() + std::ptrdiff_t(begin[v]), ends.begin() + std::ptrdiff_t(begin[v + 1]),
                [](const end& a, const end& b) { return a.to < b.to; });
    for (const end& e : ends) to.push_back(e.to), weight.push_back(e.weight);
  }
  std::size_t size() const { return begin.size() - 1; }
  std::uint64_t degree(vertex v) const { return begin[v + 1] - begin[v]; }
};

/// Two threads that meet by spinning, and share out ranges in pieces.
class two_threads {
 public:
  template <class F>
  explicit two_threads(F f) {
    std::thread other([&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(1, &one);
      sched_setaffinity(0, sizeof one, &one);
      f(*this, 1);
    });
    f(*this, 0);
    other.join();
  }
  void meet() {
    const int round = round_.load(std::memory_order_relaxed);
    if (come_.fetch_add(1, std::memory_order_acq_rel) == 1) {
      come_.store(0, std::memory_order_relaxed);
      next_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
    } else {
      while (round_.load(std::memory_order_acquire) == round) __builtin_ia32_pause();
    }
  }
  /// f(k) for all k below n, by both; then both meet.
  template <class F>
  void each(std::size_t n, std::size_t piece, F f) {
    for (;;) {
      const std::size_t from = next_.fetch_add(piece, std::memory_order_relaxed);
      if (from >= n) break;
      for (std::size_t k = from; k < std::min(n, from + piece); ++k) f(k);
    }
    meet();
  }

 private:
  alignas(64) std::atomic<int> come_ = 0;
  alignas(64) std::atomic<int> round_ = 0;
  alignas(64) std::atomic<std::size_t> next_ = 0;
};

template <class T>
bool swap_if(T& at, T expected, T value) {
  return std::atomic_ref(at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
}
template <class T>
T load(T& at) {
  return std::atomic_ref(at).load(std::memory_order_relaxed);
}

/// Made once for all runs of the rows of one size.
inline const rows_of_graph& graph_of(long size) {
  static long made = 0;
  static std::unique_ptr<const rows_of_graph> g;
  if (made != size) g = std::make_unique<const rows_of_graph>(size);
  made = size;
  return *g;
}

/// Nanoseconds per call of `f(rows)`, by two threads of rank 0. The others sleep: their cores are free.
template <class F, class Check>
double by_threads(const row_context& c, F f, Check check) {
  std::atomic_ref<long> done(*c.scratch<long>());
  if (c.rank == 0) done = 0;
  c.sync();
  double time = 0;
  static long checked = 0;  // size
  if (c.rank == 0) {
    const rows_of_graph& g = graph_of(c.size);
    auto result = f(g);
    const std::uint64_t start = now_ns();
    for (long i = 0; i < c.iterations; ++i) result = f(g);
    time = double(now_ns() - start) / double(c.iterations);
    if (checked != c.size) check(edges_of_graph(c.size, 0, 1), result);
    checked = c.size;
    done = 1;
  }
  while (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  c.sync();
  return time;
}

}  // namespace bench::hand
