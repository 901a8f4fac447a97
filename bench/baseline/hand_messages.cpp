// SPDX-License-Identifier: Apache-2.0
// What a good engineer reaches by hand with a ring of lines between two processes.
#include <pthread.h>

#include <barrier>
#include <new>
#include <thread>

#include "bench/baseline/hand.hpp"
#include "bench/baseline/line_ring.hpp"
#include "bench/baseline/spin_barrier.hpp"
#include "bench/harness/worker.hpp"

namespace bench::hand {
namespace {

enum number : std::uint32_t { echo, answer, add, total, handlers_count };

void on_echo(peer& p, const std::uint64_t* w) { p.send(answer, w[0] + 1); }
void on_add(peer& p, const std::uint64_t* w) { p.sum += w[0]; }
void on_total(peer& p, const std::uint64_t*) { p.send(answer, p.sum); }
void on_answer(peer& p, const std::uint64_t* w) {
  p.reply = w[0];
  p.answered = true;
}
constexpr handler handlers[handlers_count] = {on_echo, on_answer, on_add, on_total};

std::uint64_t ask(peer& p, number what, std::uint64_t word) {
  p.answered = false;
  p.send(what, word);
  while (!p.answered) p.poll();
  return p.reply;
}

/// Fresh rings in the arena for ranks 0 and 1, and this rank's side of them.
peer connect(row_context& c) {
  auto* rings = c.scratch<line_ring>();
  if (c.rank == 0) new (rings) line_ring[2]{};
  c.sync();
  return {&rings[c.rank], &rings[1 - c.rank], handlers};
}

/// Rank 1 answers until rank 0 says through the arena that it has finished.
template <class F>
double served(row_context& c, F&& asker) {
  auto& over = *reinterpret_cast<std::atomic<int>*>(c.scratch<std::byte>(2 * sizeof(line_ring)));
  if (c.rank == 0) over = 0;
  double result = 0;
  if (c.rank < 2) {
    peer p = connect(c);
    if (c.rank == 0) {
      result = asker(p);
      over = 1;
    }
    while (c.rank == 1 && over.load(std::memory_order_relaxed) == 0) p.poll();
  } else {
    c.sync();
  }
  return result;
}

double raw_line(row_context& c) { return yardstick(c); }

double ring_round_trip(row_context& c) {
  return served(c, [&](peer& p) {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) verify(ask(p, echo, std::uint64_t(i)) == std::uint64_t(i) + 1, "echo");
    });
  });
}

double ring_one_way(row_context& c) {
  std::uint64_t expected = 0;
  return served(c, [&](peer& p) {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) p.send(add, std::uint64_t(i));
      expected += std::uint64_t(n) * std::uint64_t(n - 1) / 2;
      verify(ask(p, total, 0) == expected, "sum of one-way messages");
    });
  });
}

double spinning_barrier(row_context& c) {
  spin_barrier all(c);
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) all.wait();
  });
  c.sync();
  return result;
}

double pthread_barrier(row_context& c) {
  auto* barrier = c.scratch<pthread_barrier_t>();
  if (c.rank == 0) {
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &shared, unsigned(c.ranks));
  }
  c.sync();
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) pthread_barrier_wait(barrier);
  });
  c.sync();
  return result;
}

/// std::barrier joins threads only, so rank 0 starts them while the other ranks sleep.
double std_barrier(row_context& c) {
  double result = 0;
  if (c.rank == 0) {
    std::barrier<> barrier(c.ranks);
    auto work = [&](int core) {
      pin(core);
      return time_per(c.iterations, [&](long n) {
        for (long i = 0; i < n; ++i) barrier.arrive_and_wait();
      });
    };
    std::vector<std::thread> others;
    for (int r = 1; r < c.ranks; ++r) others.emplace_back(work, r);
    result = work(0);
    for (std::thread& t : others) t.join();
  }
  c.sync_sleeping();
  return result;
}

}  // namespace

void add_messages(row_table& rows) {
  rows.insert(rows.end(), {{"hand_line", raw_line},
                           {"hand_ring_rtt", ring_round_trip},
                           {"hand_ring_oneway", ring_one_way},
                           {"hand_spin_barrier", spinning_barrier},
                           {"hand_pthread_barrier", pthread_barrier},
                           {"hand_std_barrier", std_barrier}});
}

}  // namespace bench::hand
