// SPDX-License-Identifier: Apache-2.0
// Split-C, MPC++ and CC++ with arguments at their edges.
#include <armilla/dialect/ccpp.hpp>
#include <armilla/dialect/mpcpp.hpp>
#include <armilla/dialect/splitc.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
namespace sc = armilla::splitc;
namespace mp = armilla::mpcpp;
using namespace edges;

namespace {

constexpr const char *null_pointer = "the pointer is null", *null_function = "the function pointer is null";
int one(int x) { return x; }
void handler(int, int) {}
int (*const no_one)(int) = nullptr;
void (*const no_handler)(int, int) = nullptr;

}  // namespace

EDGES(bulk_transfers, splitc::bulk_read, splitc::bulk_write, splitc::bulk_get, splitc::bulk_put, splitc::bulk_store,
      splitc::all_spread_malloc, splitc::toproc, splitc::store_sync) {
  const sc::spread<void*> memory = sc::all_spread_malloc(8, 8);
  const sc::global<void*> there(memory);
  const sc::global<const void*> from(there);
  char x[8] = {};
  const auto each = [&](const char* what, void* mine, const sc::global<void*>& at, std::size_t bytes) {
    const sc::global<const void*> source(at);
    REFUSED(what, sc::bulk_read(mine, source, bytes));
    REFUSED(what, sc::bulk_write(at, mine, bytes));
    REFUSED(what, sc::bulk_get(mine, source, bytes));
    REFUSED(what, sc::bulk_put(at, mine, bytes));
  };
  each(null_pointer, x, nullptr, 8);
  each("null is given as the memory of 8 elements", nullptr, there, 8);
  each("are more than any memory holds (is the number negative?)", x, there, most);
  each("no memory there", x, there, std::size_t{1} << 40);
  REFUSED("rank -1 does not exist", sc::bulk_store(nullptr, x, 8));
  REFUSED("null is given as the memory of 8 elements", sc::bulk_store(there, nullptr, 8));
  REFUSED("signals (is the number negative?)", sc::bulk_store(there, x, most));
  REFUSED("no memory there", sc::bulk_store(there, x, std::size_t{1} << 40));
  sc::bulk_read(nullptr, from, 0);
  sc::bulk_write(there, nullptr, 0);
  sc::sync();
  EXPECT_EQ(sc::toproc(there), 0);
  EXPECT_EQ(sc::toproc(sc::global<int*>()), -1);
  sc::store_sync(0);
  REFUSED("was a negative number", sc::store_sync(most));
  EXPECT_THROWS(am::limit_error, sc::all_spread_malloc(most, most));
  EXPECT_THROWS(am::limit_error, sc::all_spread_malloc(8, half));
  sc::all_spread_free(sc::all_spread_malloc(0, 8));
  am::barrier();
  sc::all_spread_free(memory);
}

EDGES(processors_and_functions, splitc::atomic, splitc::request, splitc::reply, splitc::my_elements, mpcpp::ainvoke,
      ccpp::delete_object) {
  each_bad_rank([](am::rank_t r) {
    const std::string what = "rank " + std::to_string(r) + " does not exist";
    REFUSED(what.c_str(), sc::atomic(one, r, 1));
    REFUSED(what.c_str(), sc::request(r, handler, 1));
    REFUSED(what.c_str(), sc::reply(r, handler, 1));
    REFUSED(what.c_str(), mp::ainvoke(r, one, 1));
    mp::Sync<int> result;
    REFUSED(what.c_str(), mp::ainvoke(result, r, one, 1));
    EXPECT_EQ(result.length(), 0U);
  });
  REFUSED(null_function, sc::atomic(no_one, 0, 1));
  REFUSED(null_function, sc::request(0, no_handler, 1));
  REFUSED(null_function, sc::reply(0, no_handler, 1));
  REFUSED(null_function, mp::ainvoke(0, no_one, 1));
  REFUSED("rank -1 does not exist", mp::ainvoke<&mp::Sync<int>::write>(am::global_ptr<mp::Sync<int>>(), 1));
  for (const int n : {0, -1, int(lowest)}) EXPECT_EQ(sc::my_elements(n), 0);
  EXPECT_EQ(am::all_reduce(long(sc::my_elements(highest)), std::plus<>{}), long(highest));
  REFUSED("the reference is null", am::ccpp::delete_object(am::ccpp::object_ptr<mp::Barrier>()));
}

EDGES(extents_of_spread_arrays, splitc::spread_array::spread_array) {
  EXPECT_THROWS(am::limit_error, sc::spread_array<int>(-1));
  EXPECT_THROWS(am::limit_error, sc::spread_array<int, 1, 1>(half, 4));
  EXPECT_THROWS(am::limit_error, sc::spread_array<int, 1, 1>(-1, -1));
  EXPECT_THROWS(am::limit_error, sc::spread_array<int, 2>(half, 2));
  const sc::spread_array<int, 2, 1> a(2, 2, 2);
  for (const std::size_t i : {std::size_t{2}, half, most}) {
    const std::string what = "index " + std::to_string(i);
    REFUSED(what.c_str(), a[i][0][0]);
    REFUSED(what.c_str(), a[0][i][0]);
    REFUSED(what.c_str(), int(a[0][1][i]));
  }
  const sc::spread_array<int, 1, 1> none(0, 0);
  REFUSED("index 0 of a dimension that has none", none[0]);
}

EDGES(threads_that_meet, mpcpp::Barrier::Barrier, mpcpp::Reduction::Reduction, mpcpp::Sync::fail) {
  using sum = mp::Reduction<int, std::plus<>>;
  REFUSED("0 threads; give how many meet", mp::Barrier(0));
  REFUSED("(is it a negative number?)", mp::Barrier(most));
  REFUSED("0 threads; give how many meet", sum(0));
  REFUSED("(is it a negative number?)", sum(most));
  REFUSED(no_function, mp::Reduction<int, int (*)(int, int)>(1, nullptr));
  REFUSED(no_function, mp::Reduction<int, std::function<int(int, int)>>(2));
  sum alone(1);
  EXPECT_EQ(alone.arrive(3), 3);
  mp::Sync<int> s;
  REFUSED("the exception is null", s.fail(nullptr));
  EXPECT_EQ(s.length(), 0U);
}
