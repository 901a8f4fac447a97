// SPDX-License-Identifier: Apache-2.0
// Completion of some transfers; run as transfer_test is.
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include <armilla/base/core/options.hpp>
#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>
#include <armilla/global/address.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::per_rank<std::array<double, 100>> numbers;
am::per_rank<am::global_ptr<double>> arrays;
am::per_rank<long> flag;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

am::global_ptr<double> numbers_of(am::rank_t r) { return am::reinterpret_pointer_cast<double>(numbers.on(r)); }

void fill_numbers() {
  std::iota(numbers.local().begin(), numbers.local().end(), am::rank() * 1000.0);
  am::barrier();
}

// Runs the same over the segment and over private memory.
template <class F>
void in_both_memories(F f) {
  fill_numbers();
  f(numbers_of(next()), numbers.local().data());
  am::barrier();
  std::vector<double> heap(100);
  std::iota(heap.begin(), heap.end(), am::rank() * 1000.0);
  arrays.local() = am::to_global(heap.data());
  am::barrier();
  f(*arrays.on(next()), heap.data());
  am::barrier();
}

// The word behind the library's back: a rank that spins on it takes in no messages.
std::atomic_ref<long> flag_of(am::rank_t r) {
  const auto& host = *am::detail::current->host;
  return std::atomic_ref(*reinterpret_cast<long*>(host.segment_start(r) + flag.on(r).address().offset));
}
bool on_one_host() { return am::detail::current->host->beyond == nullptr; }
bool by_message() { return am::detail::current->settings->access_by_message; }

}  // namespace

RANK_TEST(an_event_completes_the_transfers_that_name_it) {
  in_both_memories([](am::global_ptr<double> p, double* mine) {
    double one = 0, row[3] = {};
    std::vector<double> many(50);
    am::event done;
    am::get(one, p, done);
    am::get(many, p + 50, done);
    am::get(row, p + 7, done);
    done.wait();
    EXPECT(done.ready());
    EXPECT(one == next() * 1000.0 && many[49] == next() * 1000.0 + 99 && row[2] == next() * 1000.0 + 9);
    am::barrier();
    am::put(p + 1, 0.5, done);
    am::put(p + 2, std::vector<double>{1.5, 2.5}, done);
    done.wait();
    am::barrier();
    EXPECT(mine[1] == 0.5 && mine[3] == 2.5);
  });
}

RANK_TEST(an_event_completes_parts_and_lists) {
  in_both_memories([](am::global_ptr<double> p, double* mine) {
    const am::strided<2> part{.extent = {3, 4}, .local = {1, 3}, .global = {10, 1}};
    const std::vector<std::size_t> places{5, 3, 99};
    double turned[12] = {};
    std::array<double, 3> picked{};
    am::event done;
    am::get_strided(turned, p, part, done);
    am::get_indexed(picked, p, places, done);
    done.wait();
    EXPECT(turned[1] == next() * 1000.0 + 10 && turned[3] == next() * 1000.0 + 1 && picked[2] == next() * 1000.0 + 99);
    am::barrier();
    am::put_strided(p, turned, am::strided<1>{{2}, {1}, {50}}, done);
    am::put_indexed(p, std::array<double, 1>{-1}, std::vector<std::size_t>{7}, done);
    done.wait();
    am::barrier();
    EXPECT(mine[50] == am::rank() * 1000.0 + 10 && mine[7] == -1.0);
  });
}

// The third rank takes in nothing until it is told: what is asked of it is under way all the time.
RANK_TEST(an_event_does_not_wait_for_other_transfers) {
  if (am::ranks() < 3 || !on_one_host() || !by_message()) return;
  fill_numbers();
  flag.local() = 0;
  am::barrier();
  const auto until = [](long n) {
    while (flag_of(2).load() != n) std::this_thread::yield();
  };
  if (am::rank() == 2) {
    flag_of(2).store(1);
    until(2);
  }
  if (am::rank() == 0) {
    until(1);
    double quick = 0, slow = 0;
    am::event now, later;
    am::get(slow, numbers_of(2) + 5, later);
    am::get(quick, numbers_of(1) + 6, now);
    now.wait();
    EXPECT_EQ(quick, 1006.0);
    EXPECT(!later.ready());
    flag_of(2).store(2);
    later.wait();
    EXPECT_EQ(slow, 2005.0);
  }
  am::barrier();
}

RANK_TEST(what_an_event_leaves_behind_is_complete_at_sync) {
  in_both_memories([](am::global_ptr<double> p, double*) {
    double got = 0;
    {
      am::event gone;
      am::get(got, p + 3, gone);
    }
    am::sync_memory();
    EXPECT_EQ(got, next() * 1000.0 + 3);
  });
}

RANK_TEST(two_fibers_wait_for_one_event) {
  in_both_memories([](am::global_ptr<double> p, double*) {
    std::array<double, 100> all{};
    am::event done;
    am::get(all, p, done);
    int woken = 0;
    am::parfor(0, 2, [&](int) {
      done.wait();
      woken += all[99] == next() * 1000.0 + 99;
    });
    EXPECT_EQ(woken, 2);
  });
}

RANK_TEST(a_transfer_is_a_future_too) {
  in_both_memories([](am::global_ptr<double> p, double*) {
    double a = 0, b = 0;
    am::future<void> f;
    {
      am::event done;
      am::get(a, p + 1, done);
      f = am::when_complete(done);
      EXPECT(done.ready());
    }
    am::event other;
    am::get(b, p + 2, other);
    EXPECT_EQ(am::when_complete(other).then([&b] { return b; }).get(), next() * 1000.0 + 2);
    f.get();
    EXPECT_EQ(a, next() * 1000.0 + 1);
  });
}

// An address where its owner has nothing, which only the owner can tell.
RANK_TEST(the_failure_of_a_transfer_is_its_events) {
  if (on_one_host()) return;
  using namespace am::detail;
  const auto nowhere = am::global_ptr<double>(global_address::make(memory_kind::process, next(), 16));
  double got = 0;
  am::event done, sound, left;
  am::get(got, nowhere, done);
  am::get(got, numbers_of(next()), sound);
  EXPECT_THROWS_SAYING(am::usage_error, "no memory there", done.wait());
  sound.wait();
  done.wait();        // says it once
  am::sync_memory();  // and so has nothing to say
  am::get(got, nowhere, left);
  EXPECT_THROWS_SAYING(am::usage_error, "no memory there", am::when_complete(left).get());
  {
    am::event gone;
    am::get(got, nowhere, gone);
  }
  EXPECT_THROWS_SAYING(am::usage_error, "no memory there", am::sync_memory());
}

RANK_TEST(mapped_memory_leaves_an_event_ready) {
  if (by_message() || !on_one_host()) return;
  fill_numbers();
  double got = 0;
  am::event done;
  am::get(got, numbers_of(next()), done);
  EXPECT(done.ready());
  EXPECT_EQ(got, next() * 1000.0);
  am::barrier();
}
