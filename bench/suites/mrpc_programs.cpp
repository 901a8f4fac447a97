// SPDX-License-Identifier: Apache-2.0
// Suite mrpc where the rank that answers runs another program, armilla-bench-peer: calls by name.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "bench/harness/worker.hpp"
#include "bench/suites/mrpc_api.hpp"
#include "bench/suites/parts.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

namespace api = mrpc_api;

enum class waits { in_place, switching };
template <class F>
double counted(row_context& c, waits how, F&& one) {
  const am::rank_t to = far(c);
  return taken_apart(c, [&](long n) {
    am::call<api::take_count>(to).get();
    std::optional<switching> way;
    if (how == waits::switching) way.emplace();
    for (long i = 0; i < n; ++i) one(to, i);
    way.reset();
    verify(am::call<api::take_count>(to).get() == n, "number of bodies in the other program");
  });
}

double call_mpmd(row_context& c) {
  return counted(c, waits::in_place, [](am::rank_t to, long) { am::call<api::word0>(to).get(); });
}

/// Each call finds the method's index forgotten: it carries name and signature, and is looked up.
double call_cold(row_context& c) {
  const am::rank_t to = far(c);
  am::barrier();  // the other program meets twice, whatever the row
  return driven(c, [&] {
    std::uint64_t spent = 0;
    for (long i = 0; i < c.iterations; ++i) {
      am::detail::current_head->calls->stubs = am::detail::stub_cache(am::ranks());
      const std::uint64_t start = now_ns();
      am::call<api::word0>(to).get();
      spent += now_ns() - start;
    }
    const am::statistics s = am::stats();
    verify(s.stub_misses >= std::uint64_t(c.iterations), "cold calls");
    return double(spent) / double(c.iterations);
  });
}

double word0(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long) { am::call<api::word0>(to).get(); });
}

double word1(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long i) { am::call<api::word1>(to, i).get(); });
}

double word2(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long i) { am::call<api::word2>(to, i, i - 1).get(); });
}

double word0_threaded(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long) { am::call<api::word0_threaded>(to).get(); });
}

double word0_atomic(row_context& c) {
  return counted(c, waits::switching, [](am::rank_t to, long) { am::call<api::word0_atomic>(to).get(); });
}

double gp_write(row_context& c) {
  return taken_apart(c, [&](long n) {
    const am::global_ptr<double> p = am::call<api::place>(far(c)).get();
    for (long i = 0; i < n; ++i) p[i % 20] = double(i % 20);
    for (long i = std::max(0L, n - 20); i < n; ++i) verify(double(p[i % 20]) == double(i % 20), "writes to the other program");
  });
}

double gp_read(row_context& c) {
  return taken_apart(c, [&](long n) {
    const am::global_ptr<double> p = am::call<api::place>(far(c)).get();
    double sum = 0, expected = 0;
    for (long i = 0; i < n; ++i) sum += p[i % 20], expected += double(i % 20);
    verify(sum == expected, "reads from the other program");
  });
}

double prefetch(row_context& c) {
  return taken_apart(
      c,
      [&](long n) {
        const am::global_ptr<double> p = am::call<api::place>(far(c)).get();
        std::array<double, 20> x{};
        for (long i = 0; i < n; ++i) {
          am::parfor(0, 20, [&](int k) { x[std::size_t(k)] = p[k]; });
          for (int k = 0; k < 20; ++k) verify(x[std::size_t(k)] == k, "prefetch from the other program");
          x[0] = x[19] = -1;
        }
      },
      20);
}

double bulk_write(row_context& c) {
  const am::rank_t to = far(c);
  return taken_apart(c, [&](long n) {
    std::vector<double> v(20, 1.0);
    for (long i = 0; i < n; ++i) {
      v[19] = double(i);
      am::call<api::put>(to, v).get();
    }
    const std::vector<double> back = am::call<api::get>(to).get();
    verify(back.size() == 20 && back[0] == 1.0 && back[19] == double(n - 1), "bulk write to the other program");
  });
}

double bulk_read(row_context& c) {
  const am::rank_t to = far(c);
  return taken_apart(c, [&](long n) {
    std::vector<double> v(20, 2.0);
    std::array<double, 20> mine{};
    v[19] = double(n);
    am::call<api::put>(to, v).get();
    for (long i = 0; i < n; ++i) {
      const std::vector<double> a = am::call<api::get>(to).get();
      verify(a.size() == 20 && a[19] == double(n), "bulk read from the other program");
      std::copy(a.begin(), a.end(), mine.begin());
    }
    keep(mine);
  });
}

void add_mrpc_of_programs(row_table& rows) {
  rows.insert(rows.end(), {{"call_mpmd", call_mpmd},
                           {"call_cold", call_cold},
                           {"word0", word0},
                           {"word1", word1},
                           {"word2", word2},
                           {"word0_threaded", word0_threaded},
                           {"word0_atomic", word0_atomic},
                           {"gp_read", gp_read},
                           {"gp_write", gp_write},
                           {"bulk_write_40", bulk_write},
                           {"bulk_read_40", bulk_read},
                           {"prefetch_20", prefetch}});
}

}  // namespace

int work_of_programs(int argc, char** argv) {
  const std::string coordinator = argc > 2 ? argv[2] : "";
  return armilla::run(argc, argv, [&coordinator] {
    row_table rows;
    add_mrpc_of_programs(rows);
    armilla::barrier();  // the other program has its methods
    serve(coordinator, armilla::rank(), armilla::ranks(), rows);
  });
}

}  // namespace bench::suites
