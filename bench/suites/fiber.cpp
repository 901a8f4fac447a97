// SPDX-License-Identifier: Apache-2.0
// Fibers of one rank. Rank 0 works; the others wait in a barrier.
#include <mutex>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

/// Two fibers that run the same code yield to each other; one way.
double fiber_switch(row_context& c) {
  return driven(c, [&] {
    return time_per(c.iterations, [](long n) {
      long turns[2] = {0, 0};
      const auto go = [&turns, each = (n + 1) / 2](int me) {
        for (long i = 0; i < each; ++i) {
          ++turns[me];
          am::yield();
          if (turns[1 - me] < i) return;  // the other one did not run
        }
      };
      am::fiber<void> a = am::spawn(go, 0), b = am::spawn(go, 1);
      a.join();
      b.join();
      verify(turns[0] == (n + 1) / 2 && turns[1] == turns[0], "turns of two fibers");
    });
  });
}

double fiber_spawn_join(row_context& c) {
  return driven(c, [&] {
    return time_per(c.iterations, [](long n) {
      long ran = 0;
      for (long i = 0; i < n; ++i) am::spawn([&ran] { ++ran; }).join();
      verify(ran == n, "number of fibers");
    });
  });
}

double fiber_mutex(row_context& c) {
  return driven(c, [&] {
    return time_per(c.iterations, [](long n) {
      am::mutex one;
      long inside = 0;
      for (long i = 0; i < n; ++i) {
        const std::lock_guard lock(one);
        ++inside;
        keep(inside);
      }
      verify(inside == n && !one.is_locked(), "lockings");
    });
  });
}

double sync_var(row_context& c) {
  return driven(c, [&] {
    return time_per(c.iterations, [](long n) {
      long sum = 0;
      for (long i = 0; i < n; ++i) {
        am::sync_var<long> v;
        keep(&v);  // others might see it: so it is really written and read
        v.write(i);
        keep(&v);
        sum += v.read();
      }
      verify(sum == n * (n - 1) / 2, "sum of what was read");
    });
  });
}

}  // namespace

void add_fiber(row_table& rows) {
  rows.insert(rows.end(), {{"fiber_switch", fiber_switch},
                           {"fiber_spawn_join", fiber_spawn_join},
                           {"fiber_mutex", fiber_mutex},
                           {"sync_var", sync_var}});
}

}  // namespace bench::suites
