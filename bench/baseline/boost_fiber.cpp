// SPDX-License-Identifier: Apache-2.0
// The same by Boost.Fiber: round-robin scheduler, stacks from its pool. Rank 0 works, the others wait.
#include <boost/fiber/all.hpp>

#include "bench/baseline/hand.hpp"

namespace bench::hand {
namespace {

namespace fibers = boost::fibers;

using stacks = fibers::pooled_fixedsize_stack;

template <class F>
double alone(row_context& c, F&& loop) {
  const double result = c.rank == 0 ? time_per(c.iterations, loop) : 0.0;
  c.sync_sleeping();
  return result;
}

double fiber_switch(row_context& c) {
  return alone(c, [](long n) {
    stacks pool;
    long turns[2] = {0, 0};
    const auto go = [&turns, each = (n + 1) / 2](int me) {
      for (long i = 0; i < each; ++i) {
        ++turns[me];
        boost::this_fiber::yield();
        if (turns[1 - me] < i) return;
      }
    };
    fibers::fiber a(std::allocator_arg, pool, go, 0), b(std::allocator_arg, pool, go, 1);
    a.join();
    b.join();
    verify(turns[0] == (n + 1) / 2 && turns[1] == turns[0], "turns of two fibers");
  });
}

double fiber_create_join(row_context& c) {
  return alone(c, [](long n) {
    stacks pool;
    long ran = 0;
    for (long i = 0; i < n; ++i) fibers::fiber(std::allocator_arg, pool, [&ran] { ++ran; }).join();
    verify(ran == n, "number of fibers");
  });
}

double fiber_mutex(row_context& c) {
  return alone(c, [](long n) {
    fibers::mutex one;
    long inside = 0;
    for (long i = 0; i < n; ++i) {
      one.lock();
      ++inside;
      keep(inside);
      one.unlock();
    }
    verify(inside == n, "lockings");
  });
}

/// What is written once and read there: a promise and its future.
double fiber_promise(row_context& c) {
  return alone(c, [](long n) {
    long sum = 0;
    for (long i = 0; i < n; ++i) {
      fibers::promise<long> p;
      fibers::future<long> f = p.get_future();
      p.set_value(i);
      sum += f.get();
    }
    verify(sum == n * (n - 1) / 2, "sum of what was read");
  });
}

}  // namespace

void add_boost_fiber(row_table& rows) {
  rows.insert(rows.end(), {{"boost_fiber_switch", fiber_switch},
                           {"boost_fiber_create_join", fiber_create_join},
                           {"boost_fiber_mutex", fiber_mutex},
                           {"boost_fiber_promise", fiber_promise}});
}

}  // namespace bench::hand
