// SPDX-License-Identifier: Apache-2.0
// Global memory: pointers to anything, anywhere. Each rank makes something and the next one works on it.
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;

namespace {

am::per_rank<int> hits;              // a static with one copy on every rank, on every fabric
am::per_rank<am::counter> arrivals;  // counts what others have put here

struct particle {
  double position, speed;
};

/// Every rank's pointer, known to all.
template <class T>
am::global_ptr<T> of_next(const am::global_ptr<T>& mine) {
  return am::all_gather(mine)[std::size_t((am::rank() + 1) % am::ranks())];
}

void one_at_a_time() {
  const am::global_ptr<double> p = am::allocate<double>(1000);  // in my segment
  std::iota(p.local(), p.local() + 1000, 0.0);
  const am::global_ptr<double> q = of_next(p);
  am::barrier();

  double x = q[3];  // blocking, wherever q points
  expect(x == 3.0, "read");
  *q = 2.0;
  q[1] += 0.5;
  am::barrier();
  expect(p.local()[0] == 2.0 && p.local()[1] == 1.5, "written by the rank before");

  double a = 0;  // split-phase: begun here, complete at sync
  am::get(a, q + 7);
  am::put(q + 8, 80.0);
  am::sync_memory();
  expect(a == 7.0, "get");

  std::vector<double> buffer(100);
  am::get(buffer, q + 100);
  am::sync_memory();
  expect(buffer.front() == 100.0 && buffer.back() == 199.0, "get of many");
  am::store(q + 100, std::span<const double>(std::vector<double>(100, 1.0)));  // one-way: complete for all at all_store_sync
  am::all_store_sync();
  expect(p.local()[8] == 80.0 && p.local()[199] == 1.0, "put, and store of many");

  am::get_strided(buffer.data(), q + 200, am::strided<2>{.extent = {10, 10}, .local = {10, 1}, .global = {20, 1}});
  am::sync_memory();
  expect(buffer[10] == 220.0, "a block of a matrix");
  am::barrier();
  am::deallocate(p);
}

void everywhere() {
  const am::rank_t last = am::ranks() - 1;
  hits.local() = am::rank();
  am::barrier();
  int n = *hits.on(last);
  expect(n == last, "a static of the last rank");
  am::barrier();

  am::atomic_add(hits.on(0), 10);
  am::sync_memory();  // it has happened
  am::barrier();
  expect(*hits.on(0) == 10 * am::ranks(), "atomic operations");

  particle on_my_stack{1.0, am::rank() + 0.5};
  const am::global_ptr<particle> far = of_next(am::to_global(&on_my_stack));
  am::barrier();
  far->*& particle::position = 4.0;  // a member, on the stack of the next rank
  am::barrier();
  expect(on_my_stack.position == 4.0 && on_my_stack.speed == am::rank() + 0.5, "stack memory");
}

void spread() {
  am::spread_array<long> x(100);  // element i on rank i % ranks
  for (long& e : x.local()) e = am::rank();
  am::barrier();
  for (std::size_t i = 0; i < x.size(); ++i) expect(x[i] == x.rank_of(i), "an element lies on its rank");
  am::barrier();
}

void signalled() {
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  const am::global_ptr<double> mine = am::allocate<double>(10);
  const am::global_ptr<double> there = of_next(mine);
  am::put(there, std::vector<double>(10, 1.0 + am::rank()), arrivals.on(next));
  arrivals.local().wait(1);  // what the rank before put here is here
  const am::rank_t before = (am::rank() + am::ranks() - 1) % am::ranks();
  expect(mine.local()[9] == 1.0 + before, "data before their signal");
  am::barrier();
  am::deallocate(mine);
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    one_at_a_time();
    everywhere();
    spread();
    signalled();
    if (am::rank() == 0) std::printf("memory: all as expected\n");
  });
}
