// SPDX-License-Identifier: Apache-2.0
// What users write by mistake, one case at a time.
#include <functional>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

int twice(int x) { return 2 * x; }
double twice(double x) { return 2 * x; }
template <class T>
T thrice(T x) {
  return 3 * x;
}

struct histogram {
  void add(int) {}
  void add(double) {}
  int total = 0;
};

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    am::distributed<histogram> h;
    const std::vector<int> values(4);
    const am::global_ptr<histogram> far;
#if defined CASE_ASYNC_OVERLOADED
    am::async(1, &twice, 3);
#elif defined CASE_CALL_OVERLOADED
    am::call(1, twice, 3).get();
#elif defined CASE_CALL_TEMPLATE
    am::call(1, thrice, 3).get();
#elif defined CASE_METHOD_OVERLOADED
    am::async(h.on(0), &histogram::add, 3);
#elif defined CASE_CREATION
    auto creation = am::create<histogram>(0);
    am::async(creation, &histogram::total, 3);
#elif defined CASE_REDUCE_RANGE
    (void)am::reduce_all(values, std::plus<>{});
#elif defined CASE_TEAM_REDUCE_RANGE
    (void)am::world().reduce_all(values, std::plus<>{});
#elif defined CASE_ARROW
    far->total = 3;
#elif defined CASE_BROADCAST_ORDER
    (void)am::world().broadcast(0, 3.5);
#elif defined CASE_BROADCAST_VALUE_ORDER
    (void)am::broadcast_value(0, values);
#elif defined CASE_SCATTER_ORDER
    (void)am::world().scatter(0, values);
#elif defined CASE_GATHER_ORDER
    (void)am::world().gather(0, values);
#elif defined CASE_GATHER_TO_ORDER
    (void)am::gather_to(3.5, 0);
#elif defined CASE_REDUCE_ORDER
    (void)am::world().reduce(0, 3.5, std::plus<>{});
#elif defined CASE_REDUCE_MIDDLE
    (void)am::world().reduce(3.5, 0, std::plus<>{});
#elif defined CASE_REDUCE_TO_ORDER
    (void)am::reduce_to(3.5, std::plus<>{}, 0);
#elif defined CASE_REDUCE_TO_MIDDLE
    (void)am::reduce_to(values, 0, std::plus<>{});
#endif
  });
}
