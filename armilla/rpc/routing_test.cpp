// SPDX-License-Identifier: Apache-2.0
// Statements that go by way of other hosts: with ARMILLA_ROUTE_HOSTS=4 over networks, where each rank is a host. They mix with
// what goes straight, with bodies that wait, with fences of teams, and with little credit.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/router.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::detail::outbox& outbox() { return *am::detail::current->out; }
bool routes() { return outbox().routes() != nullptr; }
/// Whether what this rank says to rank `r` goes by way of others.
bool routes_to(am::rank_t r) { return routes() && outbox().routes()->routes(r); }

// Of this rank; ranks may be threads.
struct seen_by_rank {
  std::vector<long> next;  // by source: the number that its next message should have
  long wrong = 0, messages = 0;
};
thread_local seen_by_rank seen;

void note(am::rank_t source, long number) {
  seen.wrong += number != seen.next[std::size_t(source)];
  seen.next[std::size_t(source)] = number + 1;
  ++seen.messages;
}

void forget() {
  am::barrier();
  seen = {};
  seen.next.assign(std::size_t(am::ranks()), 0);
  am::barrier();
}

template <int Bytes>
struct padded {
  std::array<char, Bytes> bytes{};
};

void say(am::rank_t from, long number) { note(from, number); }
template <int Bytes>
void say_more(am::rank_t from, long number, const padded<Bytes>&) {
  note(from, number);
}
void say_text(am::rank_t from, long number, const std::string& text) {
  note(from, number);
  if (text.size() != std::size_t(number % 5) * 300) ++seen.wrong;
}
long ask(am::rank_t from, long number) {
  note(from, number);
  return number;
}
void say_and_wait(am::rank_t from, long number) {
  note(from, number);
  am::yield();
}
void by_active_message(am::sender from, long number) { note(from.rank(), number); }

thread_local long answered = 0;
void answer(am::sender from, long n) { answered += n + from.rank(); }
void question(am::sender from, long n) { am::reply<answer>(from, n); }

thread_local long steps_made = 0;
void walk(long steps) {
  ++steps_made;
  if (steps == 0) return;
  am::async<&walk>(am::rank_t((unsigned(steps) * 7919U + unsigned(am::rank())) % unsigned(am::ranks())), steps - 1);
}

thread_local bool sends_while_packed = false;
thread_local long told = 0;
void tell(long n) { told += n; }
/// A type that sends while it is packed, to a rank that is reached the same way.
struct talkative {
  long first = 0;
  std::vector<long> more;
  void define_type(auto& t) {
    t.local(first);
    if (sends_while_packed) am::async<&tell>(am::ranks() - 2, 1L);
    t.local(more);
  }
};
void take_talkative(am::rank_t from, long number, const talkative& a) {
  note(from, number);
  seen.wrong += a.first != 77 || a.more != std::vector<long>(20, 5);
}

void nap(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void say_after_a_while() { nap(300); }
void say_to_both_ends(am::rank_t middle, am::rank_t end) {
  am::async<&tell>(middle, 100L);
  am::flush();
  am::async<&tell>(end, 1L);
  am::flush();
}
void send_to(am::rank_t to, int messages) {
  for (int i = 0; i < messages; ++i) am::async<&tell>(to, 1L);
}

/// A way to tell another rank a number, of which some go straight and some do not.
struct teller {
  std::vector<long> next = std::vector<long>(std::size_t(am::ranks()));
  std::vector<am::future<long>> answers;

  void tell(am::rank_t to, unsigned how) {
    const am::rank_t me = am::rank();
    const long number = next[std::size_t(to)]++;
    switch (how % 10) {
      case 0: am::async<&say_more<700>>(to, me, number, padded<700>{}); break;        // straight: longer than what is routed
      case 1: am::async<&say_more<40'000>>(to, me, number, padded<40'000>{}); break;  // straight, by a transfer of its own
      case 2: am::async<&say_text>(to, me, number, std::string(std::size_t(number % 5) * 300, 'x')); break;
      case 3: answers.push_back(am::call<&ask>(to, me, number)); break;  // straight
      case 4: am::request<by_active_message>(to, number); break;
      case 5: am::async<&say_more<200>>(to, me, number, padded<200>{}); break;
      case 6: am::async(to, am::urgent([](am::rank_t from, long n) { note(from, n); }), me, number); break;
      case 7: am::async<&say_and_wait>(to, me, number); break;
      default: am::async<&say>(to, me, number);
    }
  }
  void hear_answers() {
    for (am::future<long>& a : answers) a.get();
    answers.clear();
  }
};

void tell_all_at_random(unsigned seed, int messages) {
  forget();
  teller mine;
  std::mt19937 random(seed * 1000 + unsigned(am::rank()));
  for (int i = 0; i < messages; ++i) {
    mine.tell(am::rank_t(random() % unsigned(am::ranks())), random());
    if (random() % 50 == 0) am::poll();
    if (random() % 200 == 0) mine.hear_answers();
  }
  mine.hear_answers();
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  long expected = 0;
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    expected += am::call(r, [](am::rank_t to) { return seen.next[std::size_t(to)]; }, am::rank()).get();
  const long sent = am::all_reduce(long(messages), std::plus<>{});
  EXPECT_EQ(am::all_reduce(seen.messages, std::plus<>{}), sent);
  EXPECT_EQ(expected, long(messages));
}

int rounds() {
  const char* const n = std::getenv("ROUNDS");
  return n != nullptr ? std::atoi(n) : 3;
}

}  // namespace

RANK_TEST(small_statements_to_ranks_that_are_neither_in_the_row_nor_in_the_column_are_passed_on) {
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

RANK_TEST(a_small_statement_does_not_overtake_a_long_one) {
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

RANK_TEST(a_call_behind_statements_finds_them_done) {
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

RANK_TEST(an_active_message_that_is_passed_on_knows_its_sender) {
  answered = 0;
  am::barrier();
  for (am::rank_t r = 0; r < am::ranks(); ++r) am::request<question>(r, 1L);
  am::fence();
  long sum = 0;
  for (am::rank_t r = 0; r < am::ranks(); ++r) sum += 1 + r;
  EXPECT_EQ(answered, sum);
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

RANK_TEST(an_argument_may_send_while_it_is_packed) {
  forget();
  told = 0;
  am::barrier();
  const am::rank_t last = am::ranks() - 1;
  talkative a{77, std::vector<long>(20, 5)};
  if (am::rank() == 0 && am::ranks() > 4) {
    sends_while_packed = true;
    for (long i = 0; i < 300; ++i) am::async<&take_talkative>(last, 0, i, a);
    sends_while_packed = false;
  }
  am::fence();
  EXPECT_EQ(seen.wrong, 0);
  if (am::rank() == last && am::ranks() > 4) EXPECT_EQ(seen.messages, 300);
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

RANK_TEST(statements_that_bodies_send_are_passed_on_as_well) {
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

RANK_TEST_MAIN()
