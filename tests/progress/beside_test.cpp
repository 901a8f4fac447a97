// SPDX-License-Identifier: Apache-2.0
// What a rank and its progress thread do at the same time, with the fence over all of it. Runs with each ARMILLA_PROGRESS_MODE.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "tests/compute_for.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

bool has_progress_threads() {
  const char* const value = std::getenv("ARMILLA_PROGRESS_MODE");
  return value != nullptr && std::string_view(value) == "thread";
}

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

am::per_rank<long> ran;
void note(long) { ++*ran; }

long here(long n) { return n; }
long fails(long) { throw std::runtime_error("no"); }

// ---- the heap ----

am::per_rank<am::global_ptr<long>> given;
am::per_rank<std::atomic<long>> freed;

RANK_TEST(a_rank_allocates_while_others_free_what_it_gave_them) {
  constexpr int rounds = 20, gifts = 32;
  for (int round = 0; round < rounds; ++round) {
    std::vector<am::global_ptr<long>> gift;
    for (int i = 0; i < gifts; ++i) gift.push_back(am::allocate<long>(2));
    const auto all = am::world().all_gather(gift);
    const auto& to_free = all[std::size_t(next())];
    std::vector<am::global_ptr<long>> mine;
    for (int i = 0; i < 4 * gifts; ++i) {
      if (i % 4 == 0) am::deallocate(to_free[std::size_t(i / 4)]);
      mine.push_back(am::allocate<long>(2));
      mine.back().local()[0] = mine.back().local()[1] = i;
    }
    for (int i = 0; i < 4 * gifts; ++i) {
      const long* const block = mine[std::size_t(i)].local();
      if (!EXPECT(block[0] == i && block[1] == i)) return;
      am::deallocate(mine[std::size_t(i)]);
    }
  }
  am::barrier();
}

RANK_TEST(a_block_that_all_ranks_free_at_once_is_freed_once) {
  for (int round = 0; round < 40; ++round) {
    const am::rank_t owner = round % am::ranks();
    if (am::rank() == owner) {
      *given = am::allocate<long>(4);
      freed.local() = 0;
    }
    const am::global_ptr<long> block = am::world().broadcast(*given, owner);
    am::barrier();
    long mine = 0;
    try {
      am::deallocate(block);
      mine = 1;
    } catch (const am::usage_error&) {}
    EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), 1);
  }
}

// ---- what a progress thread must leave to its rank ----

template <class F>
void expect_refused_beside(const F& body) {
  EXPECT_THROWS_SAYING(am::remote_error, "safe", am::call(next(), am::safe(body)).get());
}

RANK_TEST(a_safe_body_that_would_use_what_belongs_to_its_rank_is_refused) {
  if (!has_progress_threads()) return;
  expect_refused_beside([] { am::async(0, [] {}); });
  expect_refused_beside([] { (void)am::call(0, [] {}); });
  expect_refused_beside([] { (void)am::make_future(1); });
  expect_refused_beside([] { am::spawn([] {}).detach(); });
  expect_refused_beside([] { (void)am::allocate<long>(3); });
  am::fence();
}

RANK_TEST(a_safe_body_reaches_only_memory_that_needs_no_message) {
  if (!has_progress_threads() || am::ranks() == 1) return;
  *ran = 0;
  am::barrier();
  const am::rank_t far = (am::rank() + 2) % am::ranks();
  try {
    am::call(next(), am::safe([](am::rank_t r) { am::atomic_add(ran.on(r), 1); }), far).get();
  } catch (const am::remote_error& e) { EXPECT(std::string_view(e.what()).find("safe") != std::string_view::npos); }
  am::fence();
}

RANK_TEST(a_safe_body_gives_memory_back) {
  for (int round = 0; round < 50; ++round) {
    const auto block = am::allocate<long>(4);
    auto freed = am::call(am::rank(), am::safe([](am::global_ptr<long> p) { am::deallocate(p); }), block);
    for (int i = 0; i < 100; ++i) am::deallocate(am::allocate<long>(4));
    freed.get();
    EXPECT_THROWS(am::usage_error, am::deallocate(block));
  }
  am::barrier();
}

// ---- the fence, and what hangs on answers ----

// One-way calls whose bodies ask, and send when the answer has come. The last rank counts slowly, so that answers come in between
// the counts of the others and its own.
template <class Start>
void expect_all_under_fence(Start start, long sent_by_each) {
  bool over = false;
  const bool slow = am::rank() == am::ranks() - 1;
  auto other = am::spawn([&] {
    while (!over && slow) compute_for(100us), am::yield();
  });
  for (int round = 0; round < 20; ++round) {
    *ran = 0;
    am::barrier();
    am::async(next(), start, long(round));
    am::fence();
    if (!EXPECT_EQ(am::all_reduce(*ran, std::plus<>{}), sent_by_each * am::ranks())) break;
  }
  over = true;
  other.join();
}

auto slowly() {
  return am::safe([](long n) { return compute_for(50us), n; });
}
auto quickly_fails() {
  return am::safe([](long n) -> long { return compute_for(50us), throw std::runtime_error("beside"), n; });
}

RANK_TEST(a_fence_waits_for_what_hangs_on_an_answer) {
  expect_all_under_fence([](long n) { am::call(next(), slowly(), n).then([](long m) { am::async<&note>(next(), m); }); }, 1);
}

RANK_TEST(a_fence_waits_for_chains_that_hang_on_an_answer) {
  const auto start = [](long n) {
    am::call(next(), slowly(), n)
        .then([](long m) { return m + 1; })
        .then([](long m) { return am::call(next(), slowly(), m); })
        .then([](long m) { am::async<&note>(next(), m); });
  };
  expect_all_under_fence(start, 1);
}

RANK_TEST(a_fence_waits_for_what_hangs_on_several_answers) {
  const auto start = [](long n) {
    std::vector<am::future<long>> asked;
    for (am::rank_t r = 0; r < am::ranks(); ++r) asked.push_back(am::call(r, slowly(), n));
    am::when_all(std::move(asked)).then([](const std::vector<long>& all) {
      for (const long m : all) am::async<&note>(next(), m);
    });
  };
  expect_all_under_fence(start, am::ranks());
}

am::task<> ask_and_tell(long n) {
  const long m = co_await am::call(next(), slowly(), n);
  am::async<&note>(next(), co_await am::call(next(), slowly(), m));
}

RANK_TEST(a_fence_waits_for_coroutines_that_await_answers) {
  expect_all_under_fence([](long n) { ask_and_tell(n).start(); }, 1);
}

RANK_TEST(a_fence_waits_for_what_hangs_on_answers_that_fail) {
  const auto start = [](long n) {
    [](long m) -> am::task<> {
      try {
        co_await am::call(next(), quickly_fails(), m);
      } catch (const am::remote_error&) { am::async<&note>(next(), m); }
    }(n)
                      .start();
  };
  expect_all_under_fence(start, 1);
}

RANK_TEST(a_fence_ends_when_nobody_wants_the_answers_any_more) {
  const auto start = [](long n) {
    (void)am::call(next(), slowly(), n);
    {
      auto dropped = am::call(next(), slowly(), n).then([](long m) { am::async<&note>(next(), m); });
    }
    { auto awaits = ask_and_tell(n); }  // not begun
  };
  expect_all_under_fence(start, 1);
}

RANK_TEST(a_fence_ends_when_a_coroutine_is_destroyed_that_awaits_an_answer) {
  *ran = 0;
  am::barrier();
  {
    auto gone = ask_and_tell(1);
    gone.start();
  }
  am::fence();
  am::fence();
  EXPECT_EQ(am::detail::current->messages->sums.deferred(), 0U);
}

// The last rank counts behind the others, as above. A fiber of rank 0 sends it something when rank 0 has counted, in every second
// round, so that in each other one as much is created as before. What the last rank has processed by then must not stand for the
// safe body that has not ended.
RANK_TEST(a_fence_is_not_fooled_by_what_is_sent_between_two_counts_of_a_round) {
  if (!has_progress_threads() || am::ranks() < 3) return;
  const am::rank_t last = am::ranks() - 1;
  for (int round = 0; round < 10; ++round) {
    std::atomic_ref(*ran).store(0);
    bool over = false;
    am::barrier();
    auto other = am::spawn([&] {
      const std::uint64_t& rounds = am::detail::current_head->count->fence_rounds;
      const am::detail::fiber_record& main = am::detail::current_head->fibers->main();
      std::uint64_t seen = rounds;
      while (!over) {
        am::yield();
        if (am::rank() == last) compute_for(150us);
        const bool has_counted = main.state == am::detail::fiber_record::state_t::waiting;
        if (am::rank() != 0 || seen == rounds || !has_counted) continue;
        seen = rounds;
        if (seen % 2 == 0) am::async(last, [] {}), am::flush();
      }
    });
    if (am::rank() == 0) {
      am::async(1, am::safe([] {
                  std::this_thread::sleep_for(5ms);
                  std::atomic_ref(*ran).store(1);
                }));
    }
    am::fence();
    if (am::rank() == 1) EXPECT_EQ(std::atomic_ref(*ran).load(), 1);
    over = true;
    other.join();
    am::fence();
  }
}

// The fiber sleeps thrice as long as the body takes, and less than a fence that naps without looking. On a busy machine it may be
// first all the same, so this is tried until the fence was first once.
RANK_TEST(a_fence_ends_soon_after_the_progress_threads_have_ended) {
  if (!has_progress_threads()) return;
  bool fence_was_first = false;
  for (int round = 0; round < 200 && !fence_was_first; ++round) {
    bool fence_is_over = false, before = false;
    am::barrier();
    auto other = am::spawn([&] {
      am::sleep_for(15ms);
      before = fence_is_over;
    });
    if (am::rank() == 0) am::async(next(), am::safe([] { std::this_thread::sleep_for(5ms); }));
    am::fence();
    fence_is_over = true;
    other.join();
    fence_was_first = am::all_reduce(int(before), std::plus<>{}) != 0;
  }
  EXPECT(fence_was_first);
}

// ---- all of it ----

am::per_rank<long> total;

// Each adds `n` to the counters of all ranks together, by the time of a fence.
void step(int kind, long n, std::mt19937& random) {
  const auto anyone = [&] { return am::rank_t(random() % unsigned(am::ranks())); };
  const am::rank_t to = anyone();
  switch (kind) {
    case 0: am::async(to, [](long m) { std::atomic_ref(*total) += m; }, n); break;
    case 1: am::async(to, am::safe([](long m) { std::atomic_ref(*total) += m; }), n); break;
    case 2: am::atomic_add(total.on(to), n); break;
    case 3:
      am::call(to, am::safe(&here), n).then([to](long m) { am::async(to, [](long k) { std::atomic_ref(*total) += k; }, m); });
      break;
    case 4:
      am::async(
          to,
          [](long m) {
            const long k = am::call(next(), am::safe(&here), m).get();  // the body becomes a fiber
            am::async(next(), am::safe([](long l) { std::atomic_ref(*total) += l; }), k);
          },
          n);
      break;
    case 5:
      am::async(
          to,
          [](long m) {
            [](long k) -> am::task<> {
              const long l = co_await am::call(next(), am::safe(&here), k);
              am::async(next(), [](long x) { std::atomic_ref(*total) += x; }, l);
            }(m)
                              .start();
          },
          n);
      break;
    case 6: {  // a block that another rank frees, which then says so
      const auto block = am::allocate<long>(1 + random() % 400);
      *block.local() = n;
      am::async(
          to,
          [](am::global_ptr<long> p) {
            const long m = *p;
            am::deallocate(p);
            am::async(next(), [](long x) { std::atomic_ref(*total) += x; }, m);
          },
          block);
      break;
    }
    case 7:
      try {
        am::call(to, am::safe(&fails), n).get();
        std::atomic_ref(*total) += 1'000'000;
      } catch (const am::remote_error&) {}
      std::atomic_ref(*total) += n;
      break;
    case 8: {
      const std::vector<long> many(1 + random() % 20'000, 1);
      am::call(to, am::safe([](const std::vector<long>& v) { return long(v.size()); }), many)
          .then([n, size = long(many.size())](long got) {
            am::async(next(), [](long x) { std::atomic_ref(*total) += x; }, n + got - size);
          });
      break;
    }
    default: am::call(to, [](long m) { std::atomic_ref(*total) += m; }, n).get(); break;
  }
}
constexpr int kinds = 10;

RANK_TEST(a_fence_completes_any_mixture) {
  std::mt19937 random(17U + unsigned(am::rank()));
  *total = 0;
  am::barrier();
  long expected = 0;
  for (int round = 0; round < 30; ++round) {
    long sent = 0;
    const int steps = int(random() % 30);
    for (int i = 0; i < steps; ++i) {
      const long n = long(random() % 100);
      sent += n;
      step(int(random() % kinds), n, random);
    }
    am::fence();
    expected += am::all_reduce(sent, std::plus<>{});
    if (!EXPECT_EQ(am::all_reduce(std::atomic_ref(*total).load(), std::plus<>{}), expected)) return;
  }
}

// As before, by several fibers, while the ranks may be interrupted.
RANK_TEST(a_fence_completes_what_fibers_mix_while_ranks_compute) {
  *total = 0;
  am::barrier();
  long expected = 0;
  for (int round = 0; round < 10; ++round) {
    long sent = 0;
    std::vector<am::fiber<void>> fibers;
    for (int f = 0; f < 6; ++f)
      fibers.push_back(am::spawn([&sent, seed = unsigned(round * 100 + f * 10 + am::rank())] {
        std::mt19937 random(seed);
        for (int i = 0; i < 6; ++i) {
          const long n = long(random() % 100);
          sent += n;
          step(int(random() % kinds), n, random);
          am::flush();
          const am::interruptible computes;
          compute_for(20us);
        }
      }));
    for (auto& f : fibers) f.join();
    am::fence();
    expected += am::all_reduce(sent, std::plus<>{});
    if (!EXPECT_EQ(am::all_reduce(std::atomic_ref(*total).load(), std::plus<>{}), expected)) return;
  }
}

}  // namespace
