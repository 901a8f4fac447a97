// SPDX-License-Identifier: Apache-2.0
// What addresses all parts of an object, or all ranks, does so for the team that it is told: teams of odd sizes, of one member,
// and teams that share members, while the other ranks are in collectives of their own.
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct tally {
  long n = 1;
  std::string name = std::to_string(am::rank());
  long total() const { return n; }
  std::string who(const std::string& before) const { return before + name; }
  void add(long k) { n += k; }
};

long weight(long k) { return k * (am::rank() + 1); }

/// What the ranks outside do meanwhile, with values that would show in a sum.
void unrelated_work(const am::team& others) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(others.all_reduce(1000L, std::plus<>{}), 1000L * others.size());
    others.barrier();
  }
}

/// All ranks but the last of at least two, in the order of descending ranks; the last is alone.
am::team all_but_the_last() { return am::world().split(am::rank() < am::ranks() - 1 || am::ranks() == 1 ? 0 : 1, -am::rank()); }
bool is_outside() { return am::rank() == am::ranks() - 1 && am::ranks() > 1; }

template <class T>
T sum_of(const std::vector<T>& all) {
  return std::accumulate(all.begin(), all.end(), T{});
}

std::string names_of(const am::team& t) {
  std::string all;
  for (am::rank_t i = 0; i < t.size(); ++i) all += "." + std::to_string(t.world_rank(i));
  return all;
}

long weights_of(const am::team& t) {
  long sum = 0;
  for (am::rank_t i = 0; i < t.size(); ++i) sum += t.world_rank(i) + 1;
  return sum;
}

}  // namespace

RANK_TEST(collect_of_an_object_is_over_its_team) {
  const am::team half = am::world().split(am::rank() % 2);
  const am::distributed<tally> h(half);
  if (am::rank() % 2 != 0)
    unrelated_work(half);
  else
    for (int i = 0; i < 20; ++i) EXPECT_EQ(h.members().all_reduce(h->total(), std::plus<>{}), long(half.size()));
  EXPECT_EQ(h.members().all_reduce(h->n, std::plus<>{}), long(half.size()));
  am::fence();
}

RANK_TEST(a_two_way_call_to_all_parts_asks_the_members_only_in_their_order) {
  const am::team most = all_but_the_last();
  const am::distributed<tally> h(most);
  most.barrier();
  if (most.rank() == most.size() - 1) {
    EXPECT_EQ(sum_of(am::call_all<&tally::total>(h).get()), long(most.size()));
    EXPECT_EQ(sum_of(am::call_all<&tally::n>(h).get()), long(most.size()));
    EXPECT_EQ(sum_of(am::call_all<&tally::who>(h, std::string(".")).get()), names_of(most));
    EXPECT_EQ(sum_of(am::call_all(h, &tally::who, std::string(".")).get()), names_of(most));
  }
  if (is_outside()) unrelated_work(most);
  am::fence();
}

RANK_TEST(a_one_way_call_to_all_parts_reaches_the_members_only) {
  const am::team most = all_but_the_last();
  if (is_outside()) {  // has no such object, to which a call would wait for ever
    unrelated_work(most);
  } else {
    am::distributed<tally> h(most);
    most.barrier();
    for (int i = 0; i < 20; ++i) {
      if (most.rank() == i % most.size()) am::async_all<&tally::add>(h, 5L);
      most.fence();
      EXPECT_EQ(h->total(), 1 + 5L * (i + 1));
      most.barrier();  // before the next one is sent
    }
  }
  am::fence();
}

RANK_TEST(an_object_may_have_a_team_of_one) {
  const am::team me = am::world().split(am::rank());
  am::distributed<tally> h(me);
  am::async_all<&tally::add>(h, 2L);
  me.fence();
  EXPECT_EQ(am::call_all<&tally::total>(h).get(), std::vector<long>{3});
  am::fence();
}

RANK_TEST(teams_that_overlap_have_objects_of_their_own) {
  const am::rank_t middle = am::ranks() / 2;
  const am::team low = am::world().split(am::rank() <= middle ? 0 : -1), high = am::world().split(am::rank() >= middle ? 0 : -1);
  const auto use = [](const am::team& t, long start) {
    if (!t) return;
    am::distributed<tally> h(t);
    h->n = start + am::rank();
    t.barrier();
    if (t.rank() == 0) am::async_all<&tally::add>(h, 1L);
    t.fence();
    long expected = 0;
    for (am::rank_t i = 0; i < t.size(); ++i) expected += start + t.world_rank(i) + 1;
    EXPECT_EQ(t.all_reduce(h->total(), std::plus<>{}), expected);
    t.fence();
  };
  for (int i = 0; i < 10; ++i) {
    use(low, 100 * i);
    use(high, 10'000);
  }
  am::fence();
}

RANK_TEST(objects_know_their_members) {
  const am::team most = all_but_the_last();
  const am::distributed<tally> h(most), all;
  EXPECT(h.members() == most);
  EXPECT(all.members() == am::world());
  if (am::ranks() > 1) {
    const am::rank_t stranger = is_outside() ? 0 : am::ranks() - 1;
    EXPECT_THROWS_SAYING(am::usage_error, "no member", h.on(stranger));
  }
  EXPECT_THROWS_SAYING(am::usage_error, "no member", h.on(am::ranks()));
  EXPECT_THROWS_SAYING(am::usage_error, "the team is empty", am::distributed<tally>(am::team()));
  am::fence();
}

RANK_TEST(one_way_calls_to_a_team_reach_its_members_only) {
  thread_local static long got;
  got = 0;
  am::barrier();
  const am::team most = all_but_the_last();
  if (is_outside()) {
    unrelated_work(most);
  } else {
    if (most.rank() == 0) am::async_all(most, [](long k) { got += k; }, 3L);
    most.fence();
    EXPECT_EQ(got, 3L);
    most.barrier();  // before the next one is sent
    if (most.rank() == most.size() - 1) am::async_all<[](long k) { got += k; }>(most, 4L);
    most.fence();
    EXPECT_EQ(got, 7L);
  }
  am::fence();
  if (is_outside()) EXPECT_EQ(got, 0L);
  EXPECT_THROWS_SAYING(am::usage_error, "the team is empty", am::async_all(am::team(), [] {}));
}

RANK_TEST(a_two_way_call_to_a_team_asks_its_members_only) {
  const am::team most = all_but_the_last();
  const long all = 2 * weights_of(most);
  if (most.rank() == 0) {
    EXPECT_EQ(sum_of(am::call_all(most, weight, 2L).get()), all);
    EXPECT_EQ(sum_of(am::call_all<&weight>(most, 2L).get()), all);
  }
  EXPECT_THROWS_SAYING(am::usage_error, "the team is empty", (void)am::call_all(am::team(), weight, 1L));
  am::fence();
}

RANK_TEST(stores_are_completed_over_a_team) {
  const auto all = am::all_gather(am::allocate<long>(1));
  const am::team most = all_but_the_last();
  const am::rank_t next = most.world_rank((most.rank() + 1) % most.size());
  if (is_outside()) unrelated_work(most);
  for (long i = 0; i < 10; ++i) {
    am::store(all[std::size_t(next)], i + am::rank());
    most.all_store_sync();
    const am::rank_t before = most.world_rank((most.rank() + most.size() - 1) % most.size());
    EXPECT_EQ(*all[std::size_t(am::rank())].local(), i + before);
    most.barrier();
  }
  am::fence();
  am::deallocate(all[std::size_t(am::rank())]);
}

RANK_TEST(ranks_and_members_name_each_other) {
  const am::team most = all_but_the_last();
  for (am::rank_t i = 0; i < most.size(); ++i) EXPECT_EQ(most.rank_of(most.world_rank(i)), i);
  EXPECT_EQ(most.rank_of(-1), -1);
  EXPECT_EQ(most.rank_of(am::ranks()), -1);
  EXPECT_EQ(am::team().rank_of(0), -1);
  if (am::ranks() > 1) EXPECT_EQ(most.rank_of(is_outside() ? 0 : am::ranks() - 1), -1);
}
