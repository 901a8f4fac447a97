// SPDX-License-Identifier: Apache-2.0
// Collectives in fibers: of teams of their own at the same time and in any order, and which fibers may not enter one.
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// What collectives have a rank of its own for: set by one-way calls.
thread_local int told = 0;
thread_local std::vector<am::team> places;
void tell(int n) { told += n; }
void await_told(int n) {
  while (told < n) am::wait_for_message();
}

std::vector<long> numbers(am::rank_t r, int round, std::size_t n) {
  std::vector<long> all(n);
  std::iota(all.begin(), all.end(), 1000L * r + round);
  return all;
}

// Lines, transfers, and short parts: whatever moves in a collective.
void use(const am::team& t, int id) {
  for (int round = 0; round < 12; ++round) {
    const long sum = t.all_reduce(long(am::rank() + round + 100 * id), std::plus<>{});
    EXPECT_EQ(sum, long(t.size()) * (round + 100 * id) + long(t.size()) * (t.size() - 1) / 2);
    const am::rank_t root = round % t.size();
    EXPECT_EQ(t.broadcast(numbers(am::rank() + id, round, 5000), root), numbers(root + id, round, 5000));
    const std::vector<std::string> names = t.all_gather(std::string(std::size_t(10 * id + am::rank()), 'a'));
    for (am::rank_t i = 0; i < t.size(); ++i) EXPECT_EQ(names[std::size_t(i)].size(), std::size_t(10 * id + i));
    std::vector<long> out(std::size_t(t.size()) * 30, id * 10 + am::rank()), in(out.size());
    t.all_to_all(std::span<const long>(out), std::span<long>(in));
    for (am::rank_t i = 0; i < t.size(); ++i) EXPECT_EQ(in[std::size_t(i) * 30], id * 10L + i);
    t.barrier();
    if ((round + am::rank()) % 3 == 0) am::yield();
  }
}

std::vector<am::team> dups(int n) {
  std::vector<am::team> all;
  for (int i = 0; i < n; ++i) all.push_back(am::world().dup());
  return all;
}

}  // namespace

RANK_TEST(a_dup_has_the_same_members_and_an_order_of_its_own) {
  const am::team twin = am::world().dup();
  EXPECT_EQ(twin.size(), am::ranks());
  EXPECT_EQ(twin.rank(), am::rank());
  EXPECT(!(twin == am::world()));
  EXPECT_NE(twin.id(), am::world().id());
  const am::team odd = am::world().split(am::rank() % 2, -am::rank()), same = odd.dup();
  for (am::rank_t i = 0; i < odd.size(); ++i) EXPECT_EQ(same.world_rank(i), odd.world_rank(i));
}

RANK_TEST(fibers_use_a_team_each) {
  constexpr int count = 4;
  const std::vector<am::team> teams = dups(count);
  std::vector<am::fiber<void>> all;
  for (int i = 0; i < count; ++i) {
    const int id = (i + am::rank()) % count;  // in another order on each rank
    all.push_back(am::spawn([&teams, id] { use(teams[std::size_t(id)], id); }));
  }
  use(am::world(), 9);
  for (auto& f : all) f.join();
}

RANK_TEST(transfers_of_two_teams_may_wait_for_each_other) {
  const std::vector<am::team> teams = dups(2);
  const int first = am::rank() % 2;
  auto other = am::spawn([&] { use(teams[std::size_t(1 - first)], 2 - first); });
  use(teams[std::size_t(first)], first + 1);
  other.join();
}

RANK_TEST(a_slot_that_passes_on_keeps_nothing_of_its_last_team) {
  for (int i = 0; i < 20; ++i) {
    const am::team t = i % 2 == 0 ? am::world().dup() : am::world().split(0, am::rank());
    use(t, i % 3);
  }
}

RANK_TEST(a_second_fiber_in_a_team_is_refused) {
  told = 0;
  am::barrier();
  if (am::ranks() == 1) return;
  const am::team t = am::world().dup();
  if (am::rank() == 0) {
    auto inside = am::spawn([&t] { t.barrier(); });
    am::yield();  // it waits for the others
    EXPECT_THROWS_SAYING(am::usage_error, "another fiber of this rank is inside barrier", t.barrier());
    EXPECT_THROWS_SAYING(am::usage_error, "team::dup", (void)t.all_reduce(1, std::plus<>{}));
    EXPECT_THROWS_SAYING(am::usage_error, "another fiber", t.fence());
    am::async_all(&tell, 1);
    inside.join();
  } else {
    await_told(1);
    t.barrier();
  }
  EXPECT_EQ(t.all_reduce(1, std::plus<>{}), am::ranks());
  am::fence();
}

RANK_TEST(a_body_is_refused_whether_it_has_waited_or_not) {
  thread_local static int refused;
  refused = 0;
  const auto body = [](bool wait_before) {
    if (wait_before) am::call((am::rank() + 1) % am::ranks(), [] {}).get();
    refused += rank_test::expect_throws<am::usage_error>([] { am::barrier(); }, "a called function may not enter a collective",
                                                         "barrier()", __FILE__, __LINE__);
  };
  am::barrier();
  am::async((am::rank() + 1) % am::ranks(), body, false);
  am::async((am::rank() + 1) % am::ranks(), body, true);
  am::fence();
  EXPECT_EQ(refused, 2);
}

RANK_TEST(a_body_is_told_of_as_fiber_where_that_helps) {
  thread_local static int refused;
  refused = 0;
  am::barrier();
  am::async((am::rank() + 1) % am::ranks(), [] {
    refused += rank_test::expect_throws<am::usage_error>([] { am::barrier(); }, "async(rank, as_fiber(f))", "barrier()", __FILE__,
                                                         __LINE__);
    refused += rank_test::expect_throws<am::usage_error>(
        [] { am::fence(); }, "as a fiber (as_fiber) it may not enter this one either", "fence()", __FILE__, __LINE__);
  });
  am::fence();
  EXPECT_EQ(refused, 2);
}

RANK_TEST(a_body_that_is_a_fiber_may_enter) {
  places = dups(1);
  thread_local static long sum;
  sum = 0;
  am::barrier();
  const auto slave = [](long n) {
    sum = places[0].all_reduce(n, std::plus<>{});
    places[0].barrier();
  };
  if (am::rank() == 0)
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, am::as_fiber(slave), long(r + 1));
  am::fence();
  EXPECT_EQ(sum, long(am::ranks()) * (am::ranks() + 1) / 2);
  places.clear();
}

RANK_TEST(fibers_that_bodies_leave_behind_may_enter) {
  places = dups(2);
  told = 0;
  am::barrier();
  const auto body = [](int id) {
    am::spawn([id] {
      use(places[std::size_t(id)], id);
      tell(1);
    });
  };
  const int first = am::rank() % 2;  // two instances at each rank, from all sides in different orders
  if (am::rank() < 2)
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, body, first);
  if (am::ranks() == 1) am::async(0, body, 1);
  am::fence();
  EXPECT_EQ(told, 2);
  places.clear();
}

RANK_TEST(what_belongs_to_a_body_calls_no_fence_and_no_split) {
  thread_local static int refused;
  refused = 0;
  am::barrier();
  const auto try_all = [] {
    const auto expect = [](auto f, const char* name) {
      refused += rank_test::expect_throws<am::usage_error>(f, "is a part of it", name, __FILE__, __LINE__);
    };
    expect([] { am::fence(); }, "fence()");
    expect([] { am::world().fence(); }, "team::fence()");
    expect([] { am::all_store_sync(); }, "all_store_sync()");
    expect([] { (void)am::world().split(0); }, "split()");
    expect([] { (void)am::world().dup(); }, "dup()");
  };
  am::async((am::rank() + 1) % am::ranks(), am::as_fiber(try_all));
  am::async((am::rank() + 1) % am::ranks(), [](auto f) { am::spawn(f); }, try_all);
  am::fence();
  EXPECT_EQ(refused, 10);
}

RANK_TEST(a_fiber_of_the_ranks_own_code_calls_fence_and_split) {
  thread_local static int ran;
  ran = 0;
  am::barrier();
  am::spawn([] {
    am::async((am::rank() + 1) % am::ranks(), [] { ++ran; });
    am::fence();
    EXPECT_EQ(ran, 1);
    am::all_store_sync();
    const am::team alone = am::world().split(am::rank()), all = am::world().dup();
    EXPECT_EQ(alone.size(), 1);
    EXPECT_EQ(all.all_reduce(1, std::plus<>{}), am::ranks());
    all.fence();
  }).join();
}
