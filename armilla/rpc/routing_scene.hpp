// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/base/core/options.hpp"
#include "tests/rank_test.hpp"

// What the ranks say to each other in the tests of routed one-way calls, and what they note of it.
namespace am = armilla;

namespace routing_test {

inline am::detail::outbox& outbox() { return am::detail::outbox_of(*am::detail::current); }
inline bool routes() { return outbox().routing() != nullptr; }
/// Whether what this rank says to rank `r` goes by way of others.
inline bool routes_to(am::rank_t r) { return routes() && outbox().routing()->is_routed(r); }
/// The channel by which that goes; null: it goes straight.
inline am::detail::peer_channel* way_to(am::rank_t r) { return routes() ? outbox().routing()->way_of(r) : nullptr; }
/// Another rank to which the way is the same; no_rank: there is none.
inline am::rank_t beside(am::rank_t to) {
  for (am::rank_t r = 0; routes_to(to) && r < to; ++r)
    if (way_to(r) == way_to(to)) return r;
  return am::no_rank;
}

// Of this rank; ranks may be threads.
struct seen_by_rank {
  std::vector<long> next;  // by source: the number that its next message should have
  long wrong = 0, messages = 0;
};
inline thread_local seen_by_rank seen;

inline void note(am::rank_t source, long number) {
  seen.wrong += number != seen.next[std::size_t(source)];
  seen.next[std::size_t(source)] = number + 1;
  ++seen.messages;
}

inline void forget() {
  am::barrier();
  seen = {};
  seen.next.assign(std::size_t(am::ranks()), 0);
  am::barrier();
}

template <int Bytes>
struct padded {
  std::array<char, Bytes> bytes{};
};

inline void say(am::rank_t from, long number) { note(from, number); }
template <int Bytes>
void say_more(am::rank_t from, long number, const padded<Bytes>&) {
  note(from, number);
}
inline void say_text(am::rank_t from, long number, const std::string& text) {
  note(from, number);
  if (text.size() != std::size_t(number % 5) * 300) ++seen.wrong;
}
inline long ask(am::rank_t from, long number) {
  note(from, number);
  return number;
}
inline void say_and_wait(am::rank_t from, long number) {
  note(from, number);
  am::yield();
}
inline void by_active_message(am::sender from, long number) { note(from.rank(), number); }

inline thread_local long answered = 0;
inline void answer(am::sender from, long n) { answered += n + from.rank(); }
inline thread_local long asked = 0;
inline void two_way_call(am::sender from, long n) {
  ++asked;
  am::reply<answer>(from, n);
}

inline thread_local long steps_made = 0;
inline void walk(long steps) {
  ++steps_made;
  if (steps == 0) return;
  am::async<&walk>(am::rank_t((unsigned(steps) * 7919U + unsigned(am::rank())) % unsigned(am::ranks())), steps - 1);
}

inline thread_local am::rank_t told_while_packed = am::no_rank;
inline thread_local long told = 0;
inline void tell(long n) { told += n; }
/// A type that sends while it is packed, to a rank that is reached the same way.
struct talkative {
  long first = 0;
  std::vector<long> more;
  void define_type(auto& t) {
    t.local(first);
    if (told_while_packed != am::no_rank) am::async<&tell>(told_while_packed, 1L);
    t.local(more);
  }
};
inline void take_talkative(am::rank_t from, long number, const talkative& a) {
  note(from, number);
  seen.wrong += a.first != 77 || a.more != std::vector<long>(20, 5);
}

inline void nap(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

inline void say_after_a_while() { nap(300); }
inline void say_to_both_ends(am::rank_t middle, am::rank_t end) {
  am::async<&tell>(middle, 100L);
  am::flush();
  am::async<&tell>(end, 1L);
  am::flush();
}
inline void send_to(am::rank_t to, int messages) {
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

inline void tell_all_at_random(unsigned seed, int messages) {
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

inline int rounds() {
  const char* const n = std::getenv("ROUNDS");
  return n != nullptr ? std::atoi(n) : 3;
}

}  // namespace routing_test
