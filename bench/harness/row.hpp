// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/anatomy.hpp"
#include "bench/harness/arena.hpp"

namespace bench {

/// What a row is told. Every rank of the worker runs the same row; rank 0's return value is the figure.
struct row_context {
  int rank = 0;
  int ranks = 1;
  long size = 0;
  long iterations = 0;
  arena* memory = nullptr;
  rank_parts parts = {};   ///< filled by rows that are taken apart
  std::uint64_t turn = 0;  ///< round trips of the yardstick so far, the same on both ranks

  /// All ranks of the worker meet, without the library under test.
  void sync() const { meet(memory->head(), ranks, false); }
  /// The same; those that wait leave their core alone.
  void sync_sleeping() const { meet(memory->head(), ranks, true); }
  /// What a loop that waits for another rank does between two looks.
  void relax() const {
    if (ranks > cores()) yield_core();
  }
  /// Scratch memory of the arena as an array of T.
  template <class T>
  T* scratch(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(memory->scratch() + offset);
  }
};

using row_function = double (*)(row_context&);
struct row {
  std::string_view name;
  row_function run;
};
using row_table = std::vector<row>;

/// A row whose result is wrong has no time.
inline void verify(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("wrong result: " + what);
}

/// Nanoseconds per operation of `f(n)`, which does n operations, after a warm-up of a tenth.
template <class F>
double time_per(long n, F&& f) {
  f(std::max(1L, n / 10));
  const std::uint64_t start = now_ns();
  f(n);
  return double(now_ns() - start) / double(n);
}

/// Keeps a value, and so the work that made it.
template <class T>
inline void keep(T const& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace bench
