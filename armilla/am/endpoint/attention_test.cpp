// SPDX-License-Identifier: Apache-2.0
// How a rank answers while it computes. Runs with each ARMILLA_PROGRESS_MODE.
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/compute_for.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

std::string progress_mode() {
  const char* const value = std::getenv("ARMILLA_PROGRESS_MODE");
  return value == nullptr ? "poll" : value;
}

bool over_network() {
  const char* const fabric = std::getenv("ARMILLA_FABRIC");
  return fabric != nullptr && std::string_view("loop ucx ofi unix mpi").find(fabric) != std::string_view::npos;
}

// Whether a thread answers while its rank computes: by default over networks that wake it.
bool by_thread() {
  const std::string mode = progress_mode(), fabric = over_network() ? std::getenv("ARMILLA_FABRIC") : "";
  return mode == "thread" || (mode == "auto" && (fabric == "ucx" || fabric == "ofi" || fabric == "unix"));
}

am::per_rank<long> number;
am::per_rank<std::atomic<long>*> shared;

// Computes until `done`, and at most for a long time.
bool compute_until(const std::atomic<long>& done, long value) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (done.load() < value && std::chrono::steady_clock::now() < until) {}
  return done.load() >= value;
}

RANK_TEST(one_sided_access_works_in_every_progress_mode) {
  *number = am::rank();
  am::barrier();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(long(*number.on(next())), long(next()));
  for (int i = 0; i < 200; ++i) am::put(number.on(next()), long(i));
  am::sync_memory();
  am::barrier();
  EXPECT_EQ(*number, 199);
  am::barrier();
}

RANK_TEST(safe_bodies_answer_and_count_for_the_fence) {
  std::atomic<long> sum = 0;
  *shared = &sum;
  am::barrier();
  for (int i = 0; i < 1000; ++i) am::async(next(), am::safe([](long n) { *(*shared) += n; }), long(i));
  am::fence();
  EXPECT_EQ(sum.load(), 999L * 1000 / 2);
  EXPECT_EQ(am::call(next(), am::safe([](long n) { return n + 1; }), 41L).get(), 42);
  am::barrier();
}

RANK_TEST(a_computing_rank_answers_if_it_may_be_disturbed) {
  if (am::ranks() == 1 || !(by_thread() || progress_mode() == "signal")) return;
  std::atomic<long> come = 0;
  *shared = &come;
  *number = 7;
  am::barrier();
  if (am::rank() == 0) {
    {
      am::interruptible here;
      EXPECT(compute_until(come, am::ranks() - 1));  // never ends if no message is taken in
    }
  } else {
    EXPECT_EQ(long(*number.on(0)), 7);
    am::call(0, am::safe([] { ++*(*shared); })).get();
  }
  am::fence();
}

am::per_rank<long> finished;
am::per_rank<std::int64_t> total;
am::per_rank<am::global_ptr<int>> place;

// Rank 0 computes, for a second if nothing goes wrong, and calls nothing of the library; all others finish meanwhile.
RANK_TEST(a_computing_rank_serves_whatever_is_one_sided_or_safe) {
  if (am::ranks() == 1 || !by_thread()) return;
  constexpr std::size_t many = 20'000;
  *finished = 0;
  *total = 0;
  *place = am::allocate<int>(many * std::size_t(am::ranks()));
  std::atomic<long> bodies = 0;
  *shared = &bodies;
  am::barrier();
  if (am::rank() == 0) {
    const std::atomic_ref<long> others(*finished);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    compute_for(std::chrono::milliseconds(200));
    while (others.load() < am::ranks() - 1 && std::chrono::steady_clock::now() < until) compute_for(std::chrono::milliseconds(1));
    EXPECT_EQ(others.load(), long(am::ranks() - 1));
    EXPECT_EQ(std::atomic_ref(*total).load(), std::int64_t(100) * (am::ranks() - 1));
    EXPECT_EQ(bodies.load(), long(2 * (am::ranks() - 1)));
  } else {
    const am::global_ptr<int> base = *place.on(0);
    const am::global_ptr<int> mine = base + std::ptrdiff_t(many) * am::rank();
    std::vector<int> out(many), in(many, 0);
    for (std::size_t i = 0; i < many; ++i) out[i] = int(i) * am::rank();
    am::put(mine, out);  // longer than a frame: the network carries it whole
    am::sync_memory();
    am::get(in, mine);
    am::sync_memory();
    EXPECT(in == out);
    *mine = 17;
    EXPECT_EQ(int(*mine), 17);
    for (int i = 0; i < 100; ++i) am::atomic_fetch_add(total.on(0), 1);
    EXPECT_EQ(am::call(0, am::safe([](const std::vector<int>& v) { return ++*(*shared), v.size(); }), out).get(), many);
    am::async(0, am::safe([] { ++*(*shared); }));
    am::call(0, am::safe([] {})).get();  // behind it in its lane
    am::atomic_fetch_add(finished.on(0), 1);
  }
  am::fence();
}

struct round_of_access {
  am::global_ptr<std::int64_t> sum;
  am::global_ptr<double> block;
};
am::per_rank<round_of_access> accessed;

// A remote atomic of each of the others ends the computation: should one of their accesses wait for it, neither ends.
RANK_TEST(ranks_compute_in_turn_between_fences_until_the_others_have_worked_in_their_heaps) {
  if (am::ranks() == 1 || !by_thread()) return;
  constexpr std::size_t many = 500;
  const am::rank_t last = am::ranks() - 1;
  for (int round = 0; round < 3 * am::ranks(); ++round) {
    const am::rank_t computing = round % am::ranks();
    std::atomic<long> bodies = 0;
    *shared = &bodies;
    *accessed = {am::allocate<std::int64_t>(1), am::allocate<double>(many * std::size_t(am::ranks()))};
    *accessed->sum.local() = 0;
    am::fence();
    if (am::rank() == computing) {
      const std::atomic_ref<std::int64_t> sum(*accessed->sum.local());
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (sum.load() < last && std::chrono::steady_clock::now() < until) {}
      EXPECT_EQ(sum.load(), last);
      EXPECT_EQ(bodies.load(), last);
    } else {
      const round_of_access there = *accessed.on(computing);
      const am::global_ptr<double> mine = there.block + std::ptrdiff_t(many) * am::rank();
      const std::vector<double> out(many, round + am::rank());
      std::vector<double> in(many);
      am::put(mine, out);
      am::sync_memory();
      am::get(in, mine);
      am::sync_memory();
      EXPECT(in == out);
      EXPECT_EQ(am::call(computing, am::safe([](double x) { return ++*(*shared), x; }), out[0]).get(), out[0]);
      if (last == 1) am::deallocate(there.block);
      am::atomic_fetch_add(there.sum, 1);
    }
    am::fence();
    if (am::rank() != computing || last != 1) am::deallocate(accessed->block);
    am::deallocate(accessed->sum);
  }
  am::fence();
}

RANK_TEST(a_body_may_wait_in_an_interrupted_computation) {
  if (am::ranks() == 1 || progress_mode() != "signal") return;
  std::atomic<long> come = 0;
  *shared = &come;
  am::barrier();
  if (am::rank() == 0) {
    am::interruptible here;
    EXPECT(compute_until(come, am::ranks() - 1));
  } else {
    am::call(
        0,
        [](am::rank_t back) {
          am::call(back, [] {}).get();
          ++*(*shared);
        },
        am::rank())
        .get();
  }
  am::fence();
}

RANK_TEST(an_interrupt_ends_while_a_fiber_yields) {
  if (am::ranks() == 1 || progress_mode() != "signal") return;
  std::atomic<long> come = 0;
  *shared = &come;
  bool over = false;
  auto other = am::spawn([&] {
    while (!over) am::yield();
  });
  am::barrier();
  if (am::rank() == 0) {
    am::interruptible here;
    EXPECT(compute_until(come, am::ranks() - 1));
  } else {
    am::call(0, [] { ++*(*shared); }).get();
  }
  over = true;
  other.join();
  am::fence();
}

// How much of the stack below this frame is used later: it is painted first.
constexpr std::size_t painted = 48 * 1024;
__attribute__((noinline, no_sanitize("address", "thread"))) void paint(volatile unsigned char* lowest) {
  for (std::size_t i = 0; i < painted; ++i) lowest[i] = 0xa5;
}
__attribute__((noinline, no_sanitize("address", "thread"))) std::size_t used(const volatile unsigned char* lowest) {
  std::size_t untouched = 0;
  while (untouched < painted && lowest[untouched] == 0xa5) ++untouched;
  return painted - untouched;
}

// Interrupts come as fast as they can. Each leaves the stack of the computation before the next one begins there.
RANK_TEST(interrupts_do_not_pile_up_on_a_stack) {
  if (am::ranks() == 1 || progress_mode() != "signal") return;
  std::atomic<long> come = 0;
  *shared = &come;
  am::barrier();
  constexpr long many = 100'000;
  if (am::rank() == 0) {
    const auto compute = [&] {
      volatile unsigned char* const lowest = static_cast<unsigned char*>(__builtin_frame_address(0)) - 1024 - painted;
      paint(lowest);
      {
        am::interruptible here;
        EXPECT(compute_until(come, many));
      }
      EXPECT_LT(used(lowest), painted / 2);
    };
    am::spawn(compute).join();
  } else if (am::rank() == 1) {
    const std::size_t before = am::aggregation();
    am::set_aggregation(0);
    for (long i = 0; i < many; ++i) am::async(0, [] { ++*(*shared); });
    am::set_aggregation(before);
  }
  am::fence();
}

RANK_TEST(fibers_that_compute_are_interrupted_in_turn) {
  if (am::ranks() == 1 || progress_mode() != "signal") return;
  std::atomic<long> come = 0;
  *shared = &come;
  am::barrier();
  if (am::rank() == 0) {
    const long all = 200L * (am::ranks() - 1);
    std::vector<am::fiber<void>> fibers;
    for (int f = 1; f <= 4; ++f)
      fibers.push_back(am::spawn([&come, all, f] {
        const am::interruptible here;
        EXPECT(compute_until(come, all * f / 4));
      }));
    for (auto& f : fibers) f.join();
  } else {
    for (int i = 0; i < 200; ++i) am::call(0, [] { ++*(*shared); }).get();
  }
  am::fence();
}

RANK_TEST(many_come_while_all_compute) {
  std::atomic<long> come = 0;
  *shared = &come;
  am::barrier();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) am::async((am::rank() + i) % am::ranks(), am::safe([] { ++*(*shared); }));
    am::flush();
    am::interruptible here;
    compute_for(std::chrono::milliseconds(1));
  }
  am::fence();
  EXPECT_EQ(am::world().all_reduce(come.load(), std::plus<>{}), 400L * am::ranks());
}

RANK_TEST(safe_bodies_take_long_arguments) {
  const std::vector<double> numbers(100'000, 0.5);
  const auto sum = am::safe([](const std::vector<double>& v) {
    double s = 0;
    for (const double x : v) s += x;
    return s;
  });
  EXPECT_EQ(am::call(next(), sum, numbers).get(), 50'000.0);
  auto long_answer = am::call(next(), am::safe([](int n) { return std::vector<double>(std::size_t(n), 0.5); }), 100'000);
  if (progress_mode() == "thread" && !over_network())  // the progress thread has no heap that others map
    EXPECT_THROWS(am::remote_error, (void)long_answer.get());
  else
    EXPECT(long_answer.get() == numbers);
  am::fence();
}

RANK_TEST(a_sleeping_rank_sees_what_its_progress_thread_wrote) {
  std::atomic<long> come = 0;
  *shared = &come;
  am::barrier();
  am::call((am::rank() + am::ranks() - 1) % am::ranks(), am::safe([] { ++*(*shared); })).get();
  auto waiter = am::spawn([&] {
    while (come == 0) am::yield();
  });
  waiter.join();
  EXPECT_EQ(come.load(), 1);
  am::fence();
}

// The pages are never read, and cost nothing.
RANK_TEST(an_argument_too_long_for_a_progress_thread_elsewhere_is_refused_at_its_sender) {
  if (!over_network() || progress_mode() != "thread" || am::ranks() == 1) return;
  const std::size_t bytes = (std::size_t{1} << 31) + 8;
  void* const pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return;
  const auto* const first = static_cast<const char*>(pages);
  const auto size = am::safe([](am::view<char> v) { return v.size(); });
  EXPECT_THROWS_SAYING(am::limit_error, "send it in parts", am::call(next(), size, am::view<char>(first, bytes)).get());
  munmap(pages, bytes);
  EXPECT_EQ(am::call(next(), size, am::view<char>("good", 4)).get(), 4U);
  am::barrier();
}

RANK_TEST(an_error_of_a_safe_one_way_call_is_thrown_by_the_fence) {
  am::async(next(), am::safe([](int n) {
              if (n >= 0) throw std::runtime_error("beside");
            }),
            1);
  EXPECT_THROWS(am::remote_error, am::fence());
  am::fence();
}

RANK_TEST(an_interruptible_scope_inside_a_body_does_nothing) {
  am::call(next(), [] {
    am::interruptible here;
    compute_for(std::chrono::milliseconds(1));
  }).get();
  am::fence();
}

}  // namespace
