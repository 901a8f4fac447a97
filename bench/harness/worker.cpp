// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "bench/harness/link.hpp"

namespace bench {
namespace {

constexpr int batches = 5;
constexpr int trips = 300;

double first_side(row_context& c, line& mine, const line& other) {
  std::array<double, batches> time;
  for (double& t : time) {
    const std::uint64_t start = now_ns();
    for (int i = 0; i < trips; ++i) {
      mine.word.store(++c.turn, std::memory_order_release);
      while (other.word.load(std::memory_order_acquire) != c.turn) {}
    }
    t = double(now_ns() - start) / trips;
  }
  std::nth_element(time.begin(), time.begin() + batches / 2, time.end());
  return time[batches / 2];
}

void second_side(row_context& c, const line& other, line& mine) {
  for (int i = 0; i < batches * trips; ++i) {
    ++c.turn;
    while (other.word.load(std::memory_order_acquire) != c.turn) {}
    mine.word.store(c.turn, std::memory_order_release);
  }
}

const row* find(const row_table& rows, std::string_view name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

/// Seconds that this rank's thread was ready to run and had no core, since it started; 0 where the kernel does not tell.
double seconds_without_core() {
  unsigned long long ran = 0, waited = 0;
  if (std::FILE* file = std::fopen("/proc/thread-self/schedstat", "r")) {
    if (std::fscanf(file, "%llu %llu", &ran, &waited) != 2) waited = 0;
    std::fclose(file);
  }
  return double(waited) * 1e-9;
}

answer measure(row_context& c, const row& one) {
  answer a{};
  c.sync();
  yardstick(c);  // wakes both cores
  a.before = yardstick(c);
  const double lost = seconds_without_core();
  const std::uint64_t start = now_ns();
  c.parts = {};
  a.value = one.run(c);
  c.sync();
  a.seconds = double(now_ns() - start) * 1e-9;
  a.lost = seconds_without_core() - lost;
  a.after = yardstick(c);
  a.parts = c.parts;
  return a;
}

answer obey(row_context& c, const row_table& rows, const command& what) {
  const row* one = find(rows, what.row);
  if (one == nullptr) return {.status = status::absent};
  c.size = what.size;
  c.iterations = what.iterations;
  try {
    return measure(c, *one);
  } catch (const std::exception& e) {
    answer a{.status = status::failed};
    std::snprintf(a.text, sizeof a.text, "rank %d: %s", c.rank, e.what());
    return a;
  }
}

}  // namespace

double yardstick(row_context& c) {
  if (c.ranks < 2) return 0;
  arena_head& head = c.memory->head();
  c.sync();
  double time = 0;
  if (c.rank == 0) time = first_side(c, head.ping, head.pong);
  if (c.rank == 1) second_side(c, head.ping, head.pong);
  c.sync();
  return time;
}

void serve(const std::string& coordinator, int rank, int ranks, const row_table& rows) {
  const link up = link::connect(coordinator);
  up.send(&rank, sizeof rank);
  const int descriptor = up.receive_descriptor();
  arena memory = arena::attach(descriptor);
  ::close(descriptor);
  row_context c{.rank = rank, .ranks = ranks, .memory = &memory};
  command what{};
  while (up.receive(&what, sizeof what) == link::got::message && what.row[0] != 0) {
    const answer a = obey(c, rows, what);
    if (!up.send(&a, sizeof a)) break;
  }
}

}  // namespace bench
