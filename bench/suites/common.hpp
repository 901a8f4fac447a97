// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/harness/row.hpp"

namespace bench::suites {

namespace am = armilla;

/// Runs `f` on rank 0 while the others answer in a barrier.
template <class F>
double driven(row_context& c, F&& f) {
  const double result = c.rank == 0 ? std::forward<F>(f)() : 0.0;
  am::barrier();
  return result;
}

/// Nanoseconds per call of `f(i)` on rank 0 while the others answer.
template <class F>
double driven_each(row_context& c, F&& f) {
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) f(i);
    });
  });
}

/// The rank that is asked: not known to the compiler.
inline am::rank_t far(const row_context& c) { return c.ranks > 1 ? 1 : 0; }

/// An array in the segment of every rank; `of(r)` is rank r's. Collective.
template <class T>
struct everywhere {
  am::global_ptr<T> mine;
  std::vector<am::global_ptr<T>> parts;

  explicit everywhere(std::size_t count) : mine(am::allocate<T>(count)), parts(am::world().all_gather(mine)) {
    for (std::size_t i = 0; i < count; ++i) mine.local()[i] = T(i);
    am::barrier();
  }
  ~everywhere() {
    am::barrier();
    am::deallocate(mine);
  }
  am::global_ptr<T> of(am::rank_t r) const { return parts[std::size_t(r)]; }
};

}  // namespace bench::suites
