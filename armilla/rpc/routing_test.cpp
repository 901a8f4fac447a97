// SPDX-License-Identifier: Apache-2.0
// One-way calls that go by way of other hosts: with ARMILLA_ROUTE_HOSTS=4 over networks, where each rank is a host. They mix with
// what goes straight, with bodies that wait, with fences of teams, and with little credit.
#include "armilla/rpc/routing_scene.hpp"

using namespace routing_test;

RANK_TEST(small_one_way_calls_to_ranks_that_are_neither_in_the_row_nor_in_the_column_are_passed_on) {
  forget();
  const std::uint64_t sent = outbox().count().routed_sent, passed_on = outbox().count().routed_passed_on;
  am::barrier();
  std::uint64_t far = 0;
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    far += routes_to(r);
    for (long i = 0; i < 10; ++i) am::async<&say>(r, am::rank(), i);
  }
  am::fence();
  EXPECT(far != 0 || am::ranks() < 4);
  EXPECT_EQ(outbox().count().routed_sent - sent, 10 * far);
  const auto here = outbox().count().routed_passed_on - passed_on;
  EXPECT_GE(am::all_reduce(here, std::plus<>{}), am::all_reduce(10 * far, std::plus<>{}));  // to the host, and there to the rank
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_EQ(seen.messages, 10 * long(am::ranks()));
}

RANK_TEST(messages_of_a_pair_keep_their_order_whichever_way_each_goes) {
  for (int i = 0; i < rounds(); ++i) tell_all_at_random(unsigned(i), 400);
}

RANK_TEST(a_small_one_way_call_does_not_overtake_a_long_one) {
  forget();
  teller mine;
  for (unsigned i = 0; i < 40; ++i)
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      mine.tell(r, i % 2);
      mine.tell(r, 6);  // at once
    }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_EQ(seen.messages, 80L * am::ranks());
}

RANK_TEST(a_call_behind_one_way_calls_finds_them_done) {
  forget();
  const am::rank_t last = am::ranks() - 1;
  for (int i = 0; i < 20; ++i) {
    const long base = 11L * i;
    for (long n = 0; n < 10; ++n) am::async<&say>(last, am::rank(), base + n);
    EXPECT_EQ(am::call<&ask>(last, am::rank(), base + 10).get(), base + 10);
    EXPECT_EQ(am::call(last, [](am::rank_t r) { return seen.next[std::size_t(r)]; }, am::rank()).get(), base + 11);
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
}

RANK_TEST(an_active_message_that_is_passed_on_knows_its_sender) {
  answered = 0;
  am::barrier();
  for (am::rank_t r = 0; r < am::ranks(); ++r) am::request<two_way_call>(r, 1L);
  am::fence();
  long sum = 0;
  for (am::rank_t r = 0; r < am::ranks(); ++r) sum += 1 + r;
  EXPECT_EQ(answered, sum);
}

RANK_TEST(what_leaves_at_once_takes_the_one_way_calls_in_front_of_it_along) {
  forget();
  const am::rank_t last = am::ranks() - 1;
  if (am::rank() == 0) {
    const auto has_left = [&] { return !routes_to(last) || !way_to(last)->open(); };
    am::async<&say>(last, 0, 0L);
    auto answer = am::call<&ask>(last, 0, 1L);
    EXPECT(has_left());
    EXPECT_EQ(answer.get(), 1);
    am::async<&say>(last, 0, 2L);
    am::async<&say_more<700>>(last, 0, 3L, padded<700>{});  // tells of that one already
    am::async(last, am::urgent([](am::rank_t from, long n) { note(from, n); }), 0, 4L);
    EXPECT(has_left());
    am::async<&say>(last, 0, 5L);
    am::async(last, am::urgent([](am::rank_t from, long n, const std::vector<char>&) { note(from, n); }), 0, 6L,
              std::vector<char>(100'000));
    EXPECT(has_left());
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
}

// Not only with what the rank sends next.

RANK_TEST(a_reply_that_is_passed_on_leaves_when_its_handler_has_ended) {
  answered = asked = 0;
  const am::rank_t last = am::ranks() - 1;
  am::barrier();
  if (am::rank() == 0) am::request<two_way_call>(last, 1L);
  if (am::rank() == 0) am::flush();
  if (am::rank() == last) {
    while (asked == 0) am::poll();
    if (routes_to(0)) EXPECT(!way_to(0)->open());
    EXPECT(!outbox().to(0).urgent);
  }
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(answered, 1 + last);
}

RANK_TEST(an_argument_may_send_while_it_is_packed) {
  forget();
  told = 0;
  am::barrier();
  const am::rank_t last = am::ranks() - 1;
  talkative a{77, std::vector<long>(20, 5)};
  const bool says = am::rank() == 0 && beside(last) != am::no_rank;
  EXPECT(says || am::rank() != 0 || am::ranks() < 8);
  if (says) {
    told_while_packed = beside(last);
    for (long i = 0; i < 300; ++i) am::async<&take_talkative>(last, 0, i, a);
    told_while_packed = am::no_rank;
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_EQ(am::all_reduce(seen.messages, std::plus<>{}), am::all_reduce(says ? 300L : 0L, std::plus<>{}));
  EXPECT((am::all_reduce(told, std::plus<>{}) >= 300) == am::all_reduce(says, std::logical_or<>{}));
}

// Its frame is also for what is passed on.
RANK_TEST(an_argument_for_a_neighbour_may_send_by_way_of_it_while_it_is_packed) {
  forget();
  told = 0;
  am::barrier();
  const am::rank_t last = am::ranks() - 1;
  const talkative a{77, std::vector<long>(20, 5)};
  const bool says = am::rank() == 0 && routes_to(last);
  if (says) {
    const am::rank_t neighbour = way_to(last)->to;
    told_while_packed = last;
    for (long i = 0; i < 300; ++i) am::async<&take_talkative>(neighbour, 0, i, a);
    told_while_packed = am::no_rank;
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_EQ(am::all_reduce(seen.messages, std::plus<>{}), am::all_reduce(says ? 300L : 0L, std::plus<>{}));
}

// It asks for its bytes while it says something small to the same rank: that goes behind it, in the same frame.

RANK_TEST(a_long_argument_may_send_to_its_own_rank_while_it_is_packed) {
  forget();
  told = 0;
  am::barrier();
  const am::rank_t last = am::ranks() - 1;
  const talkative a{77, std::vector<long>(20, 5)};
  if (am::rank() == 0) {
    told_while_packed = last;
    for (long i = 0; i < 100; ++i) {
      am::async<&tell>(last, 1L);
      EXPECT_EQ(am::call(
                    last, [](am::rank_t from, long n, const talkative& t) { return take_talkative(from, n, t), n; }, 0, i, a)
                    .get(),
                i);
    }
    told_while_packed = am::no_rank;
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  if (am::rank() == last) EXPECT_EQ(seen.messages, 100);
  if (am::rank() == last) EXPECT(told >= 200);
}
