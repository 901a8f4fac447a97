// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks of the MRPC paper (section 5, figures 1 and 2), both ranks of one program.
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "bench/suites/parts.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

thread_local long ran = 0;  // bodies; one a rank, also where ranks are threads
thread_local long given = 0;
thread_local std::array<double, 20> held{};
thread_local am::mutex* lock_of_rank = nullptr;

long take_count(am::rank_t of) {
  return am::call(of, [] { return std::exchange(ran, 0L); }).get();
}

/// `one(to, i)` makes rank `to` run a body that counts itself. Switching: the caller's waits switch.
enum class waits { in_place, switching };
template <class F>
double counted(row_context& c, waits how, F&& one) {
  const am::rank_t to = far(c);
  return taken_apart(c, [&](long n) {
    take_count(to);
    std::optional<switching> way;
    if (how == waits::switching) way.emplace();
    for (long i = 0; i < n; ++i) one(to, i);
    way.reset();
    verify(take_count(to) == n, "number of bodies");
  });
}

double word0_simple(row_context& c) {
  return counted(c, waits::in_place, [](am::rank_t to, long) { am::call(to, am::to_completion([] { ++ran; })).get(); });
}

double word0(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long) { am::call(to, [] { ++ran; }).get(); });
}

double word1(row_context& c) {
  given = 0;
  const double result =
      counted(c, waits::switching, [](am::rank_t to, long i) { am::call(to, [](long a) { ++ran, given += a; }, i).get(); });
  if (c.rank == far(c)) verify(given >= c.iterations * (c.iterations - 1) / 2, "sum of a word");
  return result;
}

double word2(row_context& c) {
  given = 0;
  const double result = counted(c, waits::switching, [](am::rank_t to, long i) {
    am::call(to, [](long a, long b) { ++ran, given += a - b; }, i, i - 1).get();
  });
  if (c.rank == far(c)) verify(given == c.iterations + std::max(1L, c.iterations / 10), "difference of two words");
  return result;
}

double word0_threaded(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long) { am::call(to, am::as_fiber([] { ++ran; })).get(); });
}

double word0_atomic(row_context& c) {
  am::mutex mine;
  lock_of_rank = &mine;
  return counted(c, waits::switching, [](am::rank_t to, long) {
    am::call(to, am::as_fiber([] {
               const std::lock_guard lock(*lock_of_rank);
               ++ran;
             }))
        .get();
  });
}

double gp_read(row_context& c) {
  const everywhere<double> all(20);
  const am::global_ptr<double> p = all.of(far(c));
  return taken_apart(c, [&](long n) {
    double sum = 0, expected = 0;
    for (long i = 0; i < n; ++i) sum += p[i % 20], expected += double(i % 20);
    verify(sum == expected, "reads through a global pointer");
  });
}

double gp_write(row_context& c) {
  const everywhere<double> all(20);
  const am::global_ptr<double> p = all.of(far(c));
  return taken_apart(c, [&](long n) {
    for (long i = 0; i < n; ++i) p[i % 20] = double(i);
    for (long i = std::max(0L, n - 20); i < n; ++i) verify(double(p[i % 20]) == double(i), "writes through a global pointer");
  });
}

/// CC++: gpObj->put(lA, gpA), an RPC whose argument is an object that holds 20 doubles.
double bulk_write(row_context& c) {
  const am::rank_t to = far(c);
  std::vector<double> v(20, 1.0);
  return taken_apart(c, [&](long n) {
    for (long i = 0; i < n; ++i) {
      v[19] = double(i);
      am::call(to, [](const std::vector<double>& a) { std::copy(a.begin(), a.end(), held.begin()); }, v).get();
    }
    verify(am::call(to, [] { return held[0] + held[19]; }).get() == double(n), "bulk write");
  });
}

/// CC++: lA = gpObj->get(gpA).
double bulk_read(row_context& c) {
  const am::rank_t to = far(c);
  std::array<double, 20> mine{};
  return taken_apart(c, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const std::vector<double> a = am::call(to, [] {
                                      held[19] += 1;
                                      return std::vector<double>(held.begin(), held.end());
                                    }).get();
      verify(a.size() == 20, "size of a bulk read");
      std::copy(a.begin(), a.end(), mine.begin());
    }
    verify(am::call(to, [] { return held[19]; }).get() == mine[19], "bulk read");
  });
}

/// Split-C: bulk_write, bulk_read.
double split_write(row_context& c) {
  const everywhere<double> all(20);
  const am::global_ptr<double> p = all.of(far(c));
  std::array<double, 20> mine{};
  return taken_apart(c, [&](long n) {
    for (long i = 0; i < n; ++i) {
      mine[19] = double(i);
      am::put(p, std::span<const double>(mine));
      am::sync_memory();
    }
    verify(double(p[19]) == double(n - 1), "split-phase write");
  });
}

double split_read(row_context& c) {
  const everywhere<double> all(20);
  const am::global_ptr<double> p = all.of(far(c));
  std::array<double, 20> mine{};
  return taken_apart(c, [&](long n) {
    for (long i = 0; i < n; ++i) {
      mine[19] = -1;
      am::get(std::span<double>(mine), p);
      am::sync_memory();
      verify(mine[19] == 19, "split-phase read");
    }
  });
}

void verify_prefetched(std::array<double, 20>& x) {
  for (int k = 0; k < 20; ++k) verify(x[std::size_t(k)] == k, "prefetch");
  x[0] = x[19] = -1;
}

/// fetch(x, p) gets the 20 numbers at p into x.
template <class Fetch>
double prefetched(row_context& c, Fetch&& fetch) {
  const everywhere<double> all(20);
  const am::global_ptr<double> p = all.of(far(c));
  std::array<double, 20> x{};
  return taken_apart(
      c,
      [&](long n) {
        for (long i = 0; i < n; ++i) {
          fetch(x, p);
          verify_prefetched(x);
        }
      },
      20);
}

/// CC++: parfor (i = 0; i < 20; i++) lx = *gpY; each.
double prefetch(row_context& c) {
  return prefetched(c, [](auto& x, auto p) { am::parfor(0, 20, [&](int k) { x[std::size_t(k)] = p[k]; }); });
}

/// Split-C: for (...) lx := *gpY; sync(); each.
double split_prefetch(row_context& c) {
  return prefetched(c, [](auto& x, auto p) {
    for (int k = 0; k < 20; ++k) am::get(x[std::size_t(k)], p + k);
    am::sync_memory();
  });
}

}  // namespace

void add_mrpc(row_table& rows) {
  rows.insert(rows.end(), {{"word0_simple", word0_simple},
                           {"word0", word0},
                           {"word1", word1},
                           {"word2", word2},
                           {"word0_threaded", word0_threaded},
                           {"word0_atomic", word0_atomic},
                           {"gp_read", gp_read},
                           {"gp_write", gp_write},
                           {"bulk_write_40", bulk_write},
                           {"bulk_read_40", bulk_read},
                           {"split_write_40", split_write},
                           {"split_read_40", split_read},
                           {"prefetch_20", prefetch},
                           {"split_prefetch_20", split_prefetch}});
}

}  // namespace bench::suites
