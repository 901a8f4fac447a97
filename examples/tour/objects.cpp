// SPDX-License-Identifier: Apache-2.0
// Distributed objects: one part on every rank, under one name. Methods of the parts are called like functions.
#include <cstdio>
#include <functional>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;

namespace {

/// One part; it only adds up what it is told.
class histogram {
 public:
  void add(int value) { sum_ += value, ++added_; }
  long total() const { return sum_; }
  int added() const { return added_; }
  int mark = 0;

 private:
  long sum_ = 0;
  int added_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const am::rank_t dest = (am::rank() + 1) % am::ranks();

    am::distributed<histogram> h;               // collective: the same name on every rank
    am::async<&histogram::add>(h.on(dest), 7);  // a one-way call to the part on dest
    am::fence();
    const long n = am::call<&histogram::total>(h.on(dest)).get();
    const long sum = am::all_reduce(h->total(), std::plus<>{});
    expect(n == 7 && sum == 7L * am::ranks(), "each part was added to once");
    expect(h->added() == 1, "the own part, directly");
    am::barrier();

    am::async_all<&histogram::add>(h, 1);  // to all parts
    am::fence();
    expect(h->total() == 7 + am::ranks(), "every rank added one");

    am::async<&histogram::mark>(h.on(dest), am::rank());  // sets a data member
    am::fence();
    expect(am::call<&histogram::mark>(h.on(dest)).get() == am::rank(), "and reads it");

    am::object_ref<histogram> there = h.on(dest);  // a small value: copy, send, store and compare it
    const long same = am::call(dest, [](am::object_ref<histogram> r) { return r.local()->total(); }, there).get();
    expect(same == n + am::ranks(), "a name that travelled");

    am::fence();  // no rank calls a part that is gone
    if (am::rank() == 0) std::printf("objects: all as expected\n");
  });
}
