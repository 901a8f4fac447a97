// SPDX-License-Identifier: Apache-2.0
// A rank for which too much is queued is not read from, and no rank waits for ever because of that. The rings and ARMILLA_BACKLOG
// are small here, so that it happens all the time.
#include <array>
#include <cstdlib>
#include <random>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

template <int Bytes>
struct result_of {
  long value;
  std::array<char, Bytes - sizeof(long)> rest;
};
template <int Bytes>
result_of<Bytes> make(long value) {
  result_of<Bytes> a{};
  a.value = value;
  return a;
}
using large = result_of<1500>;    // a frame of its own
using longest = result_of<6000>;  // a block

long sum(long a, long b) { return a + b; }
am::detail::endpoint& messages() { return *am::detail::current->messages; }
std::size_t backlog() { return am::detail::current->settings->backlog; }
bool in_one_memory() {
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    if (am::detail::current->host->far[std::size_t(r)]) return false;
  return true;
}
// Whether rank `r`, which shares memory with this one, does not read what this one sends. Takes in nothing.
bool held_by(am::rank_t r) { return messages().out.to(r).ring.is_unread(); }

// Of this rank; ranks may be threads.
thread_local std::size_t most_queued = 0;
thread_local long echoed = 0, served = 0;

template <int Bytes>
result_of<Bytes> serve(am::rank_t to, long n) {
  most_queued = std::max(most_queued, messages().out.queued_for(to));
  return make<Bytes>(n);
}
template <class Large>
void take(const Large& a) {
  echoed += a.value;
}
template <int Bytes>
void echo(am::rank_t to, long n) {
  most_queued = std::max(most_queued, messages().out.queued_for(to));
  am::async<&take<result_of<Bytes>>>(to, make<Bytes>(n));
}

// What is queued when a rank is held back: the backlog, and what the bodies of one frame add to it. A frame is an eighth of a
// ring, 16 bytes an item at least; over a network, of which there is none as small, what a frame of one-way calls holds.
std::size_t bound(std::size_t bytes, std::size_t items) { return backlog() + (items + 2) * (bytes + 64); }

template <int Bytes>
void ask_and_take_late() {
  constexpr long asked = 2000;
  most_queued = 0;
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) {
    std::vector<am::future<result_of<Bytes>>> answers;
    for (long i = 0; i < asked; ++i) answers.push_back(am::call<&serve<Bytes>>(1, am::rank(), i));
    long got = 0;
    for (auto& f : answers) got += f.get().value;
    EXPECT_EQ(got, asked * (asked - 1) / 2);
  }
  am::fence();
  EXPECT(most_queued <= bound(Bytes, 1));
}
RANK_TEST(answers_to_a_rank_that_takes_them_late_are_bounded) { ask_and_take_late<1500>(); }
RANK_TEST(long_answers_to_a_rank_that_takes_them_late_are_bounded) { ask_and_take_late<6000>(); }

// Without it the body would throw limit_error: ARMILLA_BACKLOG_LIMIT is a third of what comes back.
RANK_TEST(one_way_calls_that_come_back_are_bounded) {
  constexpr long asked = 2000;
  most_queued = 0;
  echoed = 0;
  am::barrier();
  if (am::rank() == 0)
    for (long i = 0; i < asked; ++i) am::async<&echo<1500>>(am::ranks() - 1, am::rank(), i);
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(echoed, asked * (asked - 1) / 2);
  if (am::ranks() > 1) EXPECT(most_queued <= bound(1500, 4096 / 16));
}

// The rank that is held back waits for credit, and gets it.
RANK_TEST(a_rank_that_asks_for_too_much_is_held_back_until_it_takes_some) {
  if (am::ranks() == 1 || !in_one_memory()) return;
  am::barrier();
  if (am::rank() == 0) {
    std::vector<am::future<large>> answers;
    {
      am::batch together;
      for (long i = 0; i < 60; ++i) answers.push_back(am::call<&serve<1500>>(1, 0, i));
    }
    while (!held_by(1)) {}
    long got = 0;
    for (auto& f : answers) got += f.get().value;
    EXPECT_EQ(got, 60 * 59 / 2);
    while (held_by(1)) am::poll();
  }
  am::fence();
  if (am::rank() == 1) EXPECT(am::stats().holds > 0);
}

am::per_rank<int> stage;

// Each has taken in 60 two-way calls of the other, and queues more than the backlog: one of them reads on.
RANK_TEST(two_ranks_that_hold_each_other_back_both_get_their_answers) {
  if (am::ranks() == 1 || !in_one_memory()) return;
  *stage = 0;
  am::barrier();
  if (am::rank() < 2) {
    const am::rank_t other = 1 - am::rank();
    const auto held = am::stats().holds;
    std::vector<am::future<large>> answers;
    {
      am::batch together;
      for (long i = 0; i < 60; ++i) answers.push_back(am::call<&serve<1500>>(other, am::rank(), i));
    }
    *stage.on(am::rank()) = 1;
    while (*stage.on(other) == 0) {}
    if (am::rank() ==
        1)  // whose frame is in rank 0's ring already: rank 0 reads it behind this, perhaps before that poll returns
      while (am::stats().holds == held) am::poll({.bodies = 60});
    else
      while (!held_by(1)) {}
    long got = 0;
    for (auto& f : answers) got += f.get().value;
    EXPECT_EQ(got, 60 * 59 / 2);
  }
  am::fence();
  if (am::rank() < 2) EXPECT(am::stats().holds > 0);
}

// What a rank asks of itself it also takes in itself.
RANK_TEST(a_rank_does_not_hold_itself_back) {
  std::vector<am::future<large>> answers;
  for (long i = 0; i < 300; ++i) answers.push_back(am::call<&serve<1500>>(am::rank(), am::rank(), i));
  long got = 0;
  for (auto& f : answers) got += f.get().value;
  EXPECT_EQ(got, 300 * 299 / 2);
  EXPECT(!messages().out.to(am::rank()).holds);
}

// ---- random graphs of calls ----

using generator = std::minstd_rand;

// Asks along, `depth` ranks deep, and waits; the answer counts them.
large ask_along(am::rank_t from, int depth, unsigned seed);
void told_along(am::rank_t from, int depth, unsigned seed) {
  ++served;
  am::async<&take<large>>(from, make<1500>(1));
  if (depth == 0) return;
  generator next(seed);
  const auto to = am::rank_t(next() % unsigned(am::ranks()));
  if (next() % 2 == 0)
    am::async<&told_along>(to, from, depth - 1, unsigned(next()));
  else
    am::async<&take<large>>(from, make<1500>(am::call<&ask_along>(to, am::rank(), depth - 1, unsigned(next())).get().value));
}
large ask_along(am::rank_t from, int depth, unsigned seed) {
  generator next(seed);
  const auto to = am::rank_t(next() % unsigned(am::ranks()));
  if (next() % 3 == 0) am::async<&take<large>>(from, make<1500>(0));
  return make<1500>(depth == 0 ? 1 : 1 + am::call<&ask_along>(to, am::rank(), depth - 1, unsigned(next())).get().value);
}

void act(generator& next, std::vector<am::future<large>>& asked, long& expected) {
  const auto to = am::rank_t(next() % unsigned(am::ranks()));
  const unsigned seed = unsigned(next());
  const int depth = int(next() % 4);
  switch (next() % 8) {
    case 0: am::async<&told_along>(to, am::rank(), depth, seed); break;
    case 1: am::async<&echo<1500>>(to, am::rank(), 0L); break;
    case 2: am::async<&echo<6000>>(to, am::rank(), 0L); break;
    case 3:
      if (!asked.empty()) {
        expected -= asked.back().get().value;
        asked.pop_back();
      }
      break;
    case 4: am::poll({.bodies = next() % 3}); break;
    default: asked.push_back(am::call<&ask_along>(to, am::rank(), depth, seed)); expected += depth + 1;
  }
}

RANK_TEST(random_graphs_of_calls_with_large_answers_come_to_an_end) {
  const char* const wanted = std::getenv("ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 12;
  echoed = served = 0;
  am::barrier();
  for (int round = 0; round < rounds; ++round) {
    generator next(unsigned(round * 64 + am::rank() + 1));
    std::vector<am::future<large>> asked;
    long expected = 0;
    for (int i = 0; i < 300; ++i) act(next, asked, expected);
    if (round % 3 == 0) am::barrier();  // a collective while ranks hold each other back
    for (auto& f : asked) expected -= f.get().value;
    EXPECT_EQ(expected, 0);
    am::fence();
    EXPECT_EQ(messages().out.queued_for((am::rank() + 1) % am::ranks()), 0);
    for (am::rank_t r = 0; r < am::ranks(); ++r) EXPECT(!messages().out.to(r).holds);
    const long said = am::all_reduce(echoed, sum), ran = am::all_reduce(served, sum);
    EXPECT(said >= ran);  // each that was told has told back
  }
}

}  // namespace
