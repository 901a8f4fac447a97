// SPDX-License-Identifier: Apache-2.0
// One-way calls, two-way calls and futures: what one rank has another one do. Run with any number of ranks.
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;
using namespace std::literals;

namespace {

am::per_rank<std::string> heard;  // one on each rank, also where ranks are threads
am::per_rank<int> greetings;

double square(double x) { return x * x; }
void greet(int by) { greetings.local() += by; }

void one_way_calls(am::rank_t next) {
  am::async(next, [](std::string s) { *heard += s; }, "hello"s);  // no reply
  am::async(next, [](const std::string& s) { *heard += s; }, ", world"s);
  am::fence();  // they, and all they caused, are done everywhere
  expect(*heard == "hello, world", "one-way calls of one rank run in their order");

  am::async_all<&greet>(1);  // on every rank
  am::fence();
  expect(*greetings == am::ranks(), "everybody was greeted by everybody");
}

void two_way_calls(am::rank_t next) {
  am::future<double> f = am::call(next, [](double x) { return x * x; }, 3.0);
  expect(f.get() == 9.0, "a two-way call");
  expect(am::call<&square>(next, 4.0).get() == 16.0, "a function by its name");

  const std::vector<double> numbers(1000, 0.5);  // a view is read where it arrived, without another copy
  const auto sum = [](am::view<double> v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  expect(am::call(next, sum, am::view(numbers)).get() == 500.0, "a view");

  try {
    am::call(next, [] { throw std::out_of_range("no such cell"); }).get();
    expect(false, "the error was lost");
  } catch (const am::remote_error& e) {
    expect(e.rank() == next && e.text() == "no such cell"sv, "what the body throws arrives at get");
  }
}

void futures(am::rank_t next) {
  am::future<double> fourth = am::call<&square>(next, 3.0).then([next](double y) { return am::call<&square>(next, y); });
  expect(fourth.wait_for(60s) && fourth.get() == 81.0, "a two-way call after a two-way call");

  std::vector<am::future<double>> many;
  {
    am::batch together;  // small two-way calls to one rank share messages
    for (int i = 1; i <= 100; ++i) many.push_back(am::call<&square>(next, double(i)));
  }
  const std::vector<double> all = am::when_all(std::move(many)).get();
  expect(std::accumulate(all.begin(), all.end(), 0.0) == 338350.0, "all answers");
}

void everybody() {
  const std::vector<long> all = am::call_all([](long x) { return am::rank() + x; }, 1L).get();
  expect(std::accumulate(all.begin(), all.end(), 0L) == long(am::ranks()) * (am::ranks() + 1) / 2, "every rank answers");
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const am::rank_t next = (am::rank() + 1) % am::ranks();
    one_way_calls(next);
    two_way_calls(next);
    futures(next);
    everybody();
    am::barrier();
    if (am::rank() == 0) std::printf("one_way_calls: all as expected\n");
  });
}
