// SPDX-License-Identifier: Apache-2.0
// What it costs that bodies may wait, exclude each other, carry arrays; calls that overlap.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "bench/suites/parts.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

thread_local long ran = 0;
thread_local std::unique_ptr<am::sync_var<void>> gate;
thread_local std::vector<double> array;

template <class F>
double counted(row_context& c, F&& one) {
  const am::rank_t to = far(c);
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      am::call(to, [] { ran = 0; }).get();
      for (long i = 0; i < n; ++i) one(to, i);
      verify(am::call(to, [] { return ran; }).get() == n, "number of bodies");
    });
  });
}

double call_to_completion(row_context& c) {
  return counted(c, [](am::rank_t to, long) { am::call(to, am::to_completion([] { ++ran; })).get(); });
}

double call_may_wait(row_context& c) {
  return counted(c, [](am::rank_t to, long) { am::call(to, [] { ++ran; }).get(); });
}

void shut_gate() { gate = std::make_unique<am::sync_var<void>>(); }

/// The body waits for what a one-way call right behind it brings.
double call_waits_once(row_context& c) {
  shut_gate();
  return counted(c, [](am::rank_t to, long) {
    am::future<void> f = am::call(to, [] {
      gate->read();
      shut_gate();
      ++ran;
    });
    am::async(to, [] { gate->write(); });
    f.get();
  });
}

/// The same messages and work in the other order: it finds the gate open.
double call_waits_not(row_context& c) {
  shut_gate();
  return counted(c, [](am::rank_t to, long) {
    am::async(to, [] { gate->write(); });
    am::call(to, [] {
      gate->read();
      shut_gate();
      ++ran;
    }).get();
  });
}

class counter_object {
 public:
  void plain() { ++count_; }
  void excluding() { ++count_; }
  long take() { return std::exchange(count_, 0L); }
  static constexpr am::atomic_list<&counter_object::excluding> atomic_methods{};

 private:
  long count_ = 0;
};

template <auto Method>
double call_method(row_context& c) {
  const am::rank_t to = far(c);
  return driven(c, [&] {
    const am::remote<counter_object> object = am::create<counter_object>(to).get();
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) am::call<Method>(object).get();
      verify(am::call<&counter_object::take>(object).get() == n, "calls of a method");
    });
  });
}

double outstanding_64(row_context& c) {
  const am::rank_t to = far(c);
  return driven(c, [&] {
    std::vector<am::future<long>> under_way(64);
    return time_per(c.iterations, [&](long n) {
      long sum = 0;
      for (long i = 0; i < n; ++i) {
        am::future<long>& slot = under_way[std::size_t(i % 64)];
        if (slot.valid()) sum += slot.get();
        slot = am::call(to, [](long x) { return x; }, i);
      }
      for (am::future<long>& f : under_way)
        if (f.valid()) sum += f.get();
      verify(sum == n * (n - 1) / 2, "sum of 64 calls at a time");
    });
  });
}

double arg_span(row_context& c) {
  const am::rank_t to = far(c);
  std::vector<double> v(20, 1.0);
  return driven_each(c, [&](long i) {
    v[19] = double(i);
    const double back = am::call(to, [](am::view<double> x) { return x[19] + double(x.size()); }, am::view(v)).get();
    verify(back == double(i) + 20, "call with a view");
  });
}

double result_vec(row_context& c) {
  const am::rank_t to = far(c);
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  array.assign(count, 1.0);
  const double result = driven_each(c, [&](long i) {
    const std::vector<double> v = am::call(
                                      to,
                                      [](long k) {
                                        array.back() = double(k);
                                        return array;
                                      },
                                      i)
                                      .get();
    verify(v.size() == count && v.back() == double(i), "vector as result");
  });
  array = {};
  return result;
}

long resident_bytes() {
  long total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// What `size` waiting bodies take, each. Against the memory before the first of this job, as stacks are kept.
double waiting_bodies(row_context& c) {
  const am::rank_t to = far(c);
  static thread_local long before = 0;
  shut_gate();
  return driven(c, [&] {
    const int most = int(c.size);
    std::vector<am::future<void>> answers(std::size_t(c.size));
    if (before == 0) before = am::call(to, [] { return resident_bytes(); }).get();
    am::call(to, [] { ran = 0; }).get();
    for (am::future<void>& f : answers)
      f = am::call(to, [] {
        ++ran;
        gate->read();
        --ran;
      });
    verify(am::call(to, [] { return ran; }).get() == most, "all bodies wait at once");
    const long after = am::call(to, [] { return resident_bytes(); }).get();
    am::call(to, [] { gate->write(); }).get();
    for (am::future<void>& f : answers) f.get();
    verify(am::call(to, [] { return ran; }).get() == 0, "all bodies went on");
    return double(after - before) / most;
  });
}

}  // namespace

void add_mrpc_calls(row_table& rows) {
  rows.insert(rows.end(), {{"call_to_completion", call_to_completion},
                           {"call_may_wait", call_may_wait},
                           {"call_waits_once", call_waits_once},
                           {"call_waits_not", call_waits_not},
                           {"call_method", call_method<&counter_object::plain>},
                           {"call_atomic", call_method<&counter_object::excluding>},
                           {"outstanding_64", outstanding_64},
                           {"arg_span20", arg_span},
                           {"result_vec", result_vec},
                           {"waiting_body_bytes", waiting_bodies}});
}

}  // namespace bench::suites
