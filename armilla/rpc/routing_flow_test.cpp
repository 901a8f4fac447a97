// SPDX-License-Identifier: Apache-2.0
// One-way calls that go by way of other hosts: fences, bodies that wait, polls with a limit, and backpressure on their way.
#include "armilla/rpc/routing_scene.hpp"

using namespace routing_test;

RANK_TEST(bodies_that_wait_let_those_behind_them_begin) {
  forget();
  thread_local int waited;
  thread_local bool open;
  waited = 0, open = false;
  am::barrier();
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    for (int i = 0; i < 5; ++i)
      am::async(r, [] {
        while (!open) am::yield();
        ++waited;
      });
    am::async(r, [] { open = true; });
  }
  am::fence();
  EXPECT_EQ(waited, 5 * int(am::ranks()));
}

// More is queued at the rank on the way than it may: bodies there have sent much to a rank that sleeps.
RANK_TEST(ranks_that_send_what_is_passed_on_are_held_back_while_too_much_of_it_is_queued) {
  constexpr int much = 40'000;
  told = 0;
  const am::rank_t last = am::ranks() - 1;
  am::barrier();
  const am::rank_t on_the_way = am::broadcast(am::rank() == 0 && routes_to(last) ? way_to(last)->to : am::no_rank, 0);
  if (on_the_way == am::no_rank || am::detail::current->settings->backlog > 4096) return;
  if (am::rank() == 0) am::async<&tell>(last, 1L);
  am::fence();
  const am::detail::peer_channel& first = outbox().to(0);
  if (am::rank() == 0) am::async<&send_to>(on_the_way, last, much);
  if (am::rank() == 0) am::flush();
  if (am::rank() == last) nap(1000);
  if (am::rank() == on_the_way) {
    for (int i = 0; i < 1000000 && outbox().to(last).passed_on != am::detail::peer_channel::relayed::too_much; ++i) am::poll();
    EXPECT(outbox().routing()->bars(first));
    EXPECT(first.holds);
  }
  am::fence();
  if (am::rank() == on_the_way) EXPECT(!first.holds);
  if (am::rank() == last) EXPECT_EQ(told, 1 + much);
}

RANK_TEST(a_fence_of_a_team_waits_for_what_others_pass_on) {
  forget();
  // The two ends of a diagonal: what they say to each other goes by way of ranks that are in no such team.
  const bool end = am::rank() == 0 || am::rank() == am::ranks() - 1;
  const am::team pair = am::world().split(end ? 0 : 1, int(am::rank()));
  for (int i = 0; i < 20; ++i) {
    if (end) {
      const am::rank_t other = am::ranks() - 1 - am::rank();
      for (long n = 0; n < 7; ++n) am::async<&say>(other, am::rank(), 7L * i + n);
      pair.fence();
      EXPECT_EQ(seen.messages, 7L * (i + 1));
      pair.barrier();
    }
  }
  am::barrier();
  EXPECT_EQ(seen.wrong, 0);
}

// The ranks on the way look late, each at another time, and bodies of the team send to members by way of them.
RANK_TEST(a_fence_of_a_team_waits_for_what_its_bodies_have_others_pass_on) {
  told = 0;
  const am::rank_t me = am::rank(), last = am::ranks() - 1;
  const bool in = me == 0 || me >= last - 1;
  const am::team few = am::world().split(in ? 0 : 1, int(me));
  am::barrier();
  if (in) few.fence();
  am::barrier();
  if (me == 0) {
    am::async<&say_after_a_while>(last - 1);
    am::async<&say_to_both_ends>(last, last - 1, 0);
    am::flush();
  }
  if (in) {
    few.fence();
    if (me == 0 && last > 2) EXPECT_EQ(told, 1);
  } else {
    nap(me == 1 ? 60 : me == 2 ? 160 : me == last - 2 ? 600 : 10);
  }
  am::barrier();
}

RANK_TEST(a_rank_that_polls_reads_past_what_waits_for_its_order) {
  forget();
  const am::rank_t last = am::ranks() - 1;
  if (am::rank() == 0) {
    am::async<&say>(last, 0, 0L);
    am::async<&say_more<700>>(last, 0, 1L, padded<700>{});
    am::flush();
  } else if (am::rank() != last) {
    nap(50);  // the way of the first one
  }
  if (am::rank() == last)
    while (seen.messages < 2) am::poll();
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
}

RANK_TEST(bodies_may_send_where_messages_are_passed_on) {
  told = 0;
  const am::rank_t last = am::ranks() - 1;
  am::barrier();
  if (am::rank() != last)
    for (int i = 0; i < 2000; ++i) {
      am::async<&tell>(last, 1L);
      if (i % 10 == 0) am::async<&send_to>(last - (last > 0), last, 5);
    }
  if (am::rank() == last) nap(100);
  am::fence();
  if (am::rank() == last) EXPECT_EQ(told, last * (2000L + 200 * 5));
}

RANK_TEST(what_is_passed_on_is_no_body_of_a_poll_with_a_limit) {
  told = 0;
  const am::rank_t last = am::ranks() - 1;
  am::barrier();
  if (am::ranks() >= 4 && am::rank() == 0) {
    for (int i = 0; i < 30; ++i) am::async<&tell>(last, 1L);
    for (am::rank_t r = 1; r < last; ++r) am::async<&tell>(r, 1L);
    am::flush();
  }
  if (am::ranks() >= 4 && am::rank() != 0 && am::rank() != last) {
    const std::uint64_t& passed_on = outbox().count().routed_passed_on;
    int polls = 0;
    for (const std::uint64_t before = passed_on; told == 0; polls += passed_on != before) am::poll({.bodies = 1});
    EXPECT_LE(polls, 10);
  }
  am::fence();
  if (am::ranks() >= 4 && am::rank() == last) EXPECT_EQ(told, 30);
}

RANK_TEST(one_way_calls_that_bodies_send_are_passed_on_as_well) {
  forget();
  steps_made = 0;
  am::barrier();
  for (int i = 0; i < 10; ++i) am::async<&walk>(am::ranks() - 1 - am::rank(), 30);
  am::fence();
  EXPECT_EQ(am::all_reduce(steps_made, std::plus<>{}), 10L * 31 * am::ranks());
}

RANK_TEST(much_more_than_there_is_credit_for_arrives) {
  forget();
  constexpr long each = 3000;
  teller mine;
  for (long i = 0; i < each; ++i)
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async<&say_more<200>>(r, am::rank(), i, padded<200>{});
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_EQ(seen.messages, each * am::ranks());
}

RANK_TEST(a_poll_with_a_limit_begins_no_more_bodies) {
  forget();
  const am::rank_t last = am::ranks() - 1;
  if (am::rank() == 0)
    for (long i = 0; i < 100; ++i) am::async<&say>(last, 0, i);
  if (am::rank() == 0) am::flush();
  if (am::rank() == last && am::ranks() > 1)
    while (seen.messages < 100) {
      const long before = seen.messages;
      am::poll({.bodies = 3});
      if (!EXPECT(seen.messages - before <= 3)) break;
    }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
}
