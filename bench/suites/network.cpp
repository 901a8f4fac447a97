// SPDX-License-Identifier: Apache-2.0
// What only a network makes worth measuring: frames that carry one message, long arguments, and what a peer costs.
#include <unistd.h>

#include <cstdio>
#include <span>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

thread_local std::uint64_t sum = 0;
thread_local long came = 0;

void add(am::sender, std::uint64_t v) { sum += v; }

/// Requests of 8 bytes, each in a frame of its own; finished when the last has run, which a two-way call after them tells.
double am_oneway(row_context& c) {
  const am::rank_t to = far(c);
  const std::size_t before = am::aggregation(am::peer::network);
  am::set_aggregation(am::peer::network, 0);
  const double result = driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      am::call(to, [] { sum = 0; }).get();
      for (long i = 0; i < n; ++i) am::request<add>(to, std::uint64_t(i));
      verify(am::call(to, [] { return sum; }).get() == std::uint64_t(n) * std::uint64_t(n - 1) / 2, "sum of requests");
    });
  });
  am::set_aggregation(am::peer::network, before);
  return result;
}

/// Arguments of `size` bytes, one behind the other, read where they arrive; ns each. Four are under way at most, of four arrays
/// in turn, as in the rows written straight in MPI and UCX.
double argument_stream(row_context& c) {
  constexpr long under_way = 4;
  const am::rank_t to = far(c);
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count * under_way);
  double* const mine = all.mine.local();
  const auto body = [](am::view<double> v) {
    ++came;
    return v[v.size() - 1];
  };
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      am::future<double> answers[under_way];
      for (long i = 0; i < n + under_way; ++i) {
        am::future<double>& slot = answers[i % under_way];
        const double* const from = mine + std::size_t(i % under_way) * count;
        if (i >= under_way) verify(slot.get() == from[count - 1], "the last word of a long argument");
        if (i < n) slot = am::call(to, body, am::view<double>(from, count));
      }
    });
  });
}

/// Another rank's array into memory of this one; ns each.
double get_stream(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  std::vector<double> into(count);
  return driven_each(c, [&](long) {
    am::get(std::span<double>(into), all.of(far(c)));
    am::sync_memory();
    verify(into.back() == double(count - 1), "get");
  });
}

double resident_kib() {
  long whole = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &whole, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return double(resident) * double(::sysconf(_SC_PAGESIZE)) / 1024;
}

/// What rank 0's resident memory grows by when it calls a rank for the first time, KiB: the most of all ranks behind the first
/// one that is called. That first call also makes what there is once, however many ranks follow: `peer_first`. Once a job: later
/// samples repeat the first.
struct peer_growth {
  double first = 0, most = 0;
};

peer_growth measure_peers(row_context& c) {
  peer_growth growth;
  am::call(0, [] {}).get();
  for (am::rank_t r = 1; r < c.ranks; ++r) {
    const double before = resident_kib();
    for (int i = 0; i < 100; ++i) am::call(r, [] {}).get();
    double& one = r == 1 ? growth.first : growth.most;
    one = std::max(one, resident_kib() - before);
  }
  return growth;
}

peer_growth peers_of_this_job(row_context& c) {
  static const peer_growth known = measure_peers(c);
  return known;
}

double peer_memory(row_context& c) {
  return driven(c, [&] { return peers_of_this_job(c).most; });
}
double peer_first(row_context& c) {
  return driven(c, [&] { return peers_of_this_job(c).first; });
}

}  // namespace

void add_network(row_table& rows) {
  rows.insert(rows.end(), {{"am_oneway", am_oneway},
                           {"argument_stream", argument_stream},
                           {"get_stream", get_stream},
                           {"peer_memory", peer_memory},
                           {"peer_first", peer_first}});
}

}  // namespace bench::suites
