// SPDX-License-Identifier: Apache-2.0
// Round trips, the one-way rate, and what a job costs that only waits.
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/stats/trace.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

thread_local long answered = -1;  // one a rank, also where ranks are threads
thread_local std::uint64_t sum = 0;

void pong(am::sender, long n) { answered = n; }
void ping(am::sender from, long n) { am::reply<pong>(from, n); }

double am_round_trip(row_context& c) {
  const am::rank_t to = far(c);
  return driven_each(c, [&](long i) {
    answered = -1;
    am::request<ping>(to, i);
    while (answered != i) am::poll();
  });
}

double call_empty(row_context& c) {
  const am::rank_t to = far(c);
  return driven_each(c, [&](long) { am::call(to, [] {}).get(); });
}

/// One rank calls all others in turn, so that none of them sleeps for long.
double call_turns(row_context& c) {
  return driven_each(c, [&](long i) { am::call(am::rank_t(1 + i % (am::ranks() - 1)), [] {}).get(); });
}

/// The same: the time that this share of the calls exceeds.
double exceeded_by(row_context& c, double share) {
  return driven(c, [&] {
    std::vector<double> ns(std::size_t(c.iterations));
    for (std::size_t i = 0; i < ns.size(); ++i) {
      const std::uint64_t began = now_ns();
      am::call(am::rank_t(1 + i % std::size_t(am::ranks() - 1)), [] {}).get();
      ns[i] = double(now_ns() - began);
    }
    const auto at = ns.begin() + std::ptrdiff_t(double(ns.size()) * (1 - share));
    std::ranges::nth_element(ns, at);
    return *at;
  });
}
double call_turns_median(row_context& c) { return exceeded_by(c, 0.5); }
double call_turns_p99(row_context& c) { return exceeded_by(c, 0.01); }

/// What ARMILLA_TRACE adds where something is noted: a wait's beginning and its end.
double trace_event(row_context& c) {
  am::detail::trace* const events = am::detail::current_head->out->events();
  verify(events != nullptr, "a job that is traced");
  const double result = time_per(2 * c.iterations, [&](long n) {
    for (long i = 0; i < n; i += 2) {
      events->begin(am::detail::trace_kind::wait, "measured");
      events->end();
    }
  });
  am::barrier();
  return result;
}

/// Every rank calls the next one at the same time.
double call_ring(row_context& c) {
  const am::rank_t to = (am::rank() + 1) % am::ranks();
  am::barrier();
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) am::call(to, [] {}).get();
  });
  am::barrier();
  return result;
}

am::per_rank<am::counter> counted;
am::per_rank<am::semaphore> told;
void tell() { told->release(); }

/// Nanoseconds of a step of what goes through all ranks, one behind the other: `wait` for the rank before, `pass` to the next.
template <class Wait, class Pass>
double pipeline(row_context& c, Wait wait, Pass pass) {
  const am::rank_t to = am::rank() + 1;
  am::barrier();
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (am::rank() != 0) wait();
      if (to != am::ranks()) pass(to);
    }
    am::barrier();
  });
  return result;
}

double pipeline_counter(row_context& c) {
  return pipeline(c, [] { counted.local().wait(1); }, [](am::rank_t to) { counted.on(to).signal(); });
}

double pipeline_one_way_call(row_context& c) {
  return pipeline(
      c, [] { told->acquire(); },
      [](am::rank_t to) {
        am::async<&tell>(to);
        am::flush();
      });
}

struct quad {
  double a, b, c, d;
};

double call_struct32(row_context& c) {
  const am::rank_t to = far(c);
  return driven_each(c, [&](long i) {
    const quad q{double(i), 1, 2, 3};
    verify(am::call(to, [](quad x) { return x.a + x.b + x.c + x.d; }, q).get() == double(i) + 6, "call with a struct");
  });
}

double call_vec20(row_context& c) {
  const am::rank_t to = far(c);
  std::vector<double> v(20, 1.0);
  return driven_each(c, [&](long i) {
    v[19] = double(i);
    verify(am::call(
               to, [](const std::vector<double>& x) { return x[19] + double(x.size()); }, v)
                   .get() == double(i) + 20,
           "call with a vector");
  });
}

double call_vec20_both(row_context& c) {
  const am::rank_t to = far(c);
  std::vector<double> v(20, 1.0);
  return driven_each(c, [&](long i) {
    v[19] = double(i);
    const std::vector<double> back = am::call(
                                         to,
                                         [](std::vector<double> x) {
                                           x[19] += 1;
                                           return x;
                                         },
                                         v)
                                         .get();
    verify(back.size() == 20 && back[19] == double(i) + 1, "call with a vector in and out");
  });
}

/// One-way calls of 8 bytes, one after the other; finished when the last body has run, which a two-way call after them tells.
double flood(row_context& c) {
  const am::rank_t to = far(c);
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      am::call(to, [] { sum = 0; }).get();
      for (long i = 0; i < n; ++i) am::async(to, [](std::uint64_t v) { sum += v; }, std::uint64_t(i));
      verify(am::call(to, [] { return sum; }).get() == std::uint64_t(n) * std::uint64_t(n - 1) / 2, "sum of one-way calls");
    });
  });
}

double async_oneway(row_context& c) {
  const std::size_t before = am::aggregation();
  am::set_aggregation(0);
  const double result = flood(c);
  am::set_aggregation(before);
  return result;
}

struct cpu_use {
  long process;
  double seconds;
};

cpu_use used() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return {::getpid(), double(t.tv_sec) + double(t.tv_nsec) * 1e-9};
}

/// All ranks but the last wait for a reply of the last, which sleeps for a second: per cent of one CPU that all
/// their processes use together meanwhile.
double idle_cpu(row_context& c) {
  auto* table = c.scratch<cpu_use>();
  const am::rank_t sleeper = am::ranks() - 1;
  c.sync_sleeping();  // from here the sleeper is outside the library
  const cpu_use before = used();
  const std::uint64_t start = now_ns();
  if (am::rank() == sleeper)
    ::usleep(1'000'000);
  else
    am::call(sleeper, [] {}).get();
  const double seconds = double(now_ns() - start) * 1e-9;
  table[c.rank] = {before.process, used().seconds - before.seconds};
  am::barrier();
  double total = 0;
  for (int r = 0; r + 1 < c.ranks; ++r) {
    bool first = true;  // of its process: where ranks are threads there is one for all
    for (int q = 0; q < r; ++q) first = first && table[q].process != table[r].process;
    if (first) total += table[r].seconds;
  }
  return 100 * total / seconds;
}

/// Seconds of processor time that these processes have used.
double used_by(const std::set<pid_t>& processes) {
  double sum = 0;
  for (const pid_t one : processes) {
    clockid_t clock{};
    timespec t{};
    verify(::clock_getcpuclockid(one, &clock) == 0 && ::clock_gettime(clock, &t) == 0, "the clock of a rank");
    sum += double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
  }
  return sum;
}

/// The same of ranks that went to sleep half a second ago: the last one looks at their clocks.
double idle_job(row_context& c) {
  auto* processes = c.scratch<pid_t>();
  auto* percent = c.scratch<double>(4096);
  processes[c.rank] = ::getpid();
  c.sync_sleeping();
  if (am::rank() == am::ranks() - 1) {
    const std::set<pid_t> sleepers(processes, processes + c.ranks - 1);
    ::usleep(500'000);
    const double before = used_by(sleepers);
    const std::uint64_t start = now_ns();
    ::usleep(1'000'000);
    *percent = 100 * (used_by(sleepers) - before) / (double(now_ns() - start) * 1e-9);
  }
  am::barrier();
  return *percent;
}

}  // namespace

void add_micro(row_table& rows) {
  rows.insert(rows.end(), {{"am_rtt", am_round_trip},
                           {"call_empty", call_empty},
                           {"trace_event", trace_event},
                           {"call_ring", call_ring},
                           {"call_turns", call_turns},
                           {"call_turns_median", call_turns_median},
                           {"call_turns_p99", call_turns_p99},
                           {"call_struct32", call_struct32},
                           {"call_vec20", call_vec20},
                           {"call_vec20_both", call_vec20_both},
                           {"async_oneway", async_oneway},
                           {"async_oneway_agg", flood},
                           {"pipeline_counter", pipeline_counter},
                           {"pipeline_one_way_call", pipeline_one_way_call},
                           {"idle_job", idle_job},
                           {"idle_cpu", idle_cpu}});
}

}  // namespace bench::suites
