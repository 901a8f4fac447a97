// SPDX-License-Identifier: Apache-2.0
// What users write by mistake, one case at a time.
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

int twice(int x) { return 2 * x; }
double twice(double x) { return 2 * x; }
int once(int x) { return x; }
template <class T>
T thrice(T x) {
  return 3 * x;
}

namespace api {
inline constexpr am::method<double(double)> half{"test.half"};
}

struct histogram {
  void add(int) {}
  void add(double) {}
  void put(int) {}
  int total = 0;
};

// Not in a lambda: g++ from 14 then says first that the lambda cannot be called while compiling.
#if defined CASE_PRINT_PLACES
void prints() { am::print_on(0, "{} of {}", 1); }
#endif

#if defined CASE_RUN_ARGUMENTS
int runs(int argc, char** argv) {
  return am::run(argc, argv, [](int, char**) {});
}
#elif defined CASE_RUN_MAIN_RESULT
int runs(int argc, char** argv) {
  return am::run_main(argc, argv, [] { return std::string("done"); });
}
#endif

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
#elif defined CASE_NAMED_OVERLOADED
    am::async<&twice>(1, 3);
#elif defined CASE_NAMED_CALL_OVERLOADED
    (void)am::call<&twice>(1, 3).get();
#elif defined CASE_NAMED_MATHEMATICS
    const double root = am::call<&std::sqrt>(1, 2.0).get();
#elif defined CASE_NAMED_ONE_WAY_CALL_MATHEMATICS
    am::async<&std::pow>(1, 2.0, 3.0);
#elif defined CASE_METHOD_WITHOUT_RANK
    am::async<&histogram::put>(h, 3);
#elif defined CASE_TWO_WAY_CALL_WITHOUT_RANK
    const int n = am::call<&histogram::total>(h).get();
#elif defined CASE_POINTER_WITHOUT_RANK
    am::async(h, &histogram::put, 3);
#elif defined CASE_TWO_WAY_CALL_POINTER_WITHOUT_RANK
    const int n = am::call(h, &histogram::total).get();
#elif defined CASE_CONTAINER
    am::vector<double> x(10, 1.5);
#elif defined CASE_CONTAINER_ON_TEAM
    am::array<int> x(10, am::world());
#elif defined CASE_MATRIX
    am::matrix<double> x({4, 4});
#elif defined CASE_GRAPH
    am::graph<> g(std::vector<int>{1, 2});
#elif defined CASE_MAP
    am::map<int, double> x;
#elif defined CASE_UNORDERED_MAP
    am::unordered_map<std::string, int> x;
#elif defined CASE_COUNTING_SET
    am::counting_set<std::string> x;
#elif defined CASE_PRIORITY_QUEUE
    am::priority_queue<int> x;
#elif defined CASE_BITMAP
    auto x = am::bitmap(10);
#elif defined CASE_DISJOINT_SET
    auto x = am::disjoint_set(10);
#elif defined CASE_METHOD_ARGUMENTS
    const long n = am::call<&histogram::put>(h.on(0), 1, 2).get();
#elif defined CASE_METHOD_ONE_WAY_CALL
    am::async<&histogram::put>(h.on(0), std::string("x"));
#elif defined CASE_METHOD_POINTER
    am::async(h.on(0), &histogram::put, 1, 2);
#elif defined CASE_METHOD_LITERAL
    (void)am::call<&histogram::put>(h.on(0), "x", 3).get();
#elif defined CASE_METHOD_OF_CREATION
    auto creation = am::create<histogram>(0);
    const int n = am::call<&histogram::put>(creation, std::string("x")).get();
#elif defined CASE_CALL_ARGUMENTS
    const int n = am::call(1, [](int x) { return x; }, values).get();
#elif defined CASE_FUNCTION_ARGUMENTS
    const int n = am::call<&once>(1, values).get();
#elif defined CASE_CALL_INTO_ARGUMENTS
    std::vector<double> into(3);
    (void)am::call_into(1, std::span(into), [](int) { return std::vector<double>(); }, values);
#elif defined CASE_CALL_INTO_ORDER
    std::vector<double> into(3);
    (void)am::call_into(std::span(into), 1, [](int) { return std::vector<double>(); }, 1);
#elif defined CASE_SAFE_MEMBER
    (void)am::call(h.on(1), am::safe<&histogram::total>());
#elif defined CASE_HINT_BY_NAME
    (void)am::call(1, am::safe<api::half>(), 3.0);
#elif defined CASE_HINT_PROVIDED
    am::provide<api::half>(am::as_fiber<&once>());
#elif defined CASE_PRINT_VALUE
    am::print_on(0, "{}", values);
#elif defined CASE_ASYNC_BODY_FIRST
    am::async([](int) {}, 0, 3);
#elif defined CASE_CALL_BODY_FIRST
    const int n = am::call(&once, 0, 3).get();
#elif defined CASE_SEND_TEAM
    am::async(1, [](const am::team&) {}, am::world());
#elif defined CASE_SEND_TEAMS
    am::async(1, [](const std::vector<am::team>&) {}, std::vector<am::team>());
#elif defined CASE_SEND_FUTURE
    am::async(1, [](int) {}, am::call(1, &once, 1));
#elif defined CASE_SEND_OBJECT
    am::async(1, [](int) {}, h);
#elif defined CASE_SEND_SPREAD_ARRAY
    am::async(1, [](int) {}, am::spread_array<int>(3));
#elif defined CASE_CREATION
    auto creation = am::create<histogram>(0);
    am::async(creation, &histogram::total, 3);
#elif defined CASE_COLLECTIVE_POINTER
    (void)am::world().all_gather(&values);
#elif defined CASE_COLLECTIVE_TEXT
    (void)am::broadcast(std::string_view("x"));
#elif defined CASE_REDUCE_NOTHING
    (void)am::all_reduce(3);
#elif defined CASE_REDUCE_BY_WORD
    (void)am::all_reduce(3, "sum");
#elif defined CASE_REDUCE_WITHOUT_TEAM
    (void)am::reduce(3, std::plus<>{}, 1);
#elif defined CASE_REDUCE_RANGE
    (void)am::all_reduce(values, std::plus<>{});
#elif defined CASE_TEAM_REDUCE_RANGE
    (void)am::world().all_reduce(values, std::plus<>{});
#elif defined CASE_TEAM_REDUCE_RANGE_TO_ROOT
    (void)am::world().reduce(values, std::plus<>{}, 1);
#elif defined CASE_ARROW
    far->total = 3;
#elif defined CASE_BROADCAST_ORDER
    (void)am::world().broadcast(0, 3.5);
#elif defined CASE_BROADCAST_BODY
    am::broadcast([](int) {}, 7);
#elif defined CASE_BROADCAST_FUNCTION
    am::broadcast(&once, 7);
#elif defined CASE_BROADCAST_NAMED
    am::broadcast<&once>(7);
#elif defined CASE_FREE_BROADCAST_ORDER
    (void)am::broadcast(0, values);
#elif defined CASE_SCATTER_ORDER
    (void)am::world().scatter(0, values);
#elif defined CASE_GATHER_ORDER
    (void)am::world().gather(0, values);
#elif defined CASE_REDUCE_ORDER
    (void)am::world().reduce(0, 3.5, std::plus<>{});
#elif defined CASE_REDUCE_MIDDLE
    (void)am::world().reduce(3.5, 0, std::plus<>{});
#endif
  });
}
