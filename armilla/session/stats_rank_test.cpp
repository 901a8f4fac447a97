// SPDX-License-Identifier: Apache-2.0
// What is counted is exactly what happened. The program runs with ARMILLA_STATS=timing.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/stats/rank_stats.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

thread_local long taken = 0;  // only so that bodies do something

struct place {
  am::rank_t next, before;
};
place here() { return {(am::rank() + 1) % am::ranks(), (am::rank() + am::ranks() - 1) % am::ranks()}; }

/// What this rank does in `f`, with all that others do here because of it, and one barrier and one fence. Collective.
template <class F>
am::statistics during(F f) {
  am::fence();
  const am::statistics before = am::stats();
  am::barrier();  // a rank that is ahead would send what another, still in the fence, took in before
  f();
  am::fence();
  const am::statistics after = am::stats();
  am::barrier();  // what follows is in no rank's
  return after - before;
}

const am::method_statistics& method(const am::statistics& s, std::string_view part) {
  static const am::method_statistics none;
  const am::method_statistics* found = &none;
  for (const am::method_statistics& m : s.methods)
    if (m.name.find(part) != m.name.npos) found = &m;
  return *found;
}

void take_number(int) { ++taken; }
double ask(double x) { return 2 * x; }
void take_text(const std::string&) { ++taken; }
void take_message(am::sender, long) { ++taken; }
void take_payload(am::sender, int, std::span<const std::byte>) { ++taken; }
void take_vector(const std::vector<double>&) { ++taken; }

std::uint64_t on_all(std::uint64_t mine) {
  return am::all_reduce(mine, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

}  // namespace

RANK_TEST(one_way_calls_are_counted_where_they_leave_and_where_they_run) {
  const am::statistics s = during([] {
    for (int i = 0; i < 1000; ++i) am::async<&take_number>(here().next, i);
  });
  EXPECT_EQ(s.one_way_calls_sent, 1000);
  EXPECT_EQ(s.two_way_calls_sent, 0);
  EXPECT_EQ(s.replies_sent, 0);
  const am::method_statistics& m = method(s, "async");
  EXPECT_EQ(m.messages, 1000);
  EXPECT_EQ(m.bytes, 8000);
  EXPECT_EQ(m.sizes[3], 1000);
  EXPECT_GE(m.runs, 1);
  EXPECT_LE(m.runs, 1000);
}

RANK_TEST(one_way_calls_that_are_taken_in_by_steps_are_counted_once) {
  taken = 0;
  const am::statistics s = during([] {
    for (int i = 0; i < 100; ++i) am::async<&take_number>(here().next, i);
    am::flush();
    while (taken < 100) am::poll({.bodies = 7});
  });
  const am::method_statistics& m = method(s, "async");
  EXPECT_EQ(m.messages, 100);
  EXPECT_EQ(m.bytes, 800);
  EXPECT_EQ(m.sizes[3], 100);
}

RANK_TEST(a_broadcast_is_a_one_way_call_to_each_rank) {
  const am::statistics s = during([] { am::async_all(&take_number, 1); });
  EXPECT_EQ(s.one_way_calls_sent, am::ranks());
  EXPECT_EQ(method(s, "async").messages, am::ranks());
}

RANK_TEST(two_way_calls_have_an_answer_each) {
  const am::statistics s = during([] {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(am::call<&ask>(here().next, 1.5).get(), 3.0);
  });
  EXPECT_EQ(s.two_way_calls_sent, 50);
  EXPECT_EQ(s.replies_sent, 50);
  EXPECT_EQ(s.one_way_calls_sent, 0);
  EXPECT_EQ(method(s, "call ").messages, 50);
  EXPECT_EQ(method(s, "call ").bytes, 50 * 16);
  EXPECT_EQ(method(s, "reply double").messages, 50);
  EXPECT_EQ(method(s, "reply double").bytes, 50 * 16);
}

RANK_TEST(an_answer_nobody_waits_for_is_abandoned) {
  const am::statistics s = during([] { static_cast<void>(am::call<&ask>(here().next, 1.5)); });
  EXPECT_EQ(s.replies_abandoned, 1);
}

RANK_TEST(an_exception_is_an_answer_of_its_own) {
  const am::statistics s = during([] { EXPECT_THROWS(am::remote_error, am::call(here().next, [] { throw 1; }).get()); });
  EXPECT_EQ(s.remote_errors, 1);
  EXPECT_EQ(s.two_way_calls_sent, 1);
  EXPECT_EQ(method(s, "reply by an exception").messages, 1);
}

RANK_TEST(messages_that_differ_in_size_are_counted_one_by_one) {
  const am::statistics s = during([] {
    for (const std::size_t n : {3u, 3u, 100u, 1000u}) am::async<&take_text>(here().next, std::string(n, 'x'));
  });
  const am::method_statistics& m = method(s, "(string)");
  EXPECT_EQ(m.messages, 4);
  EXPECT_EQ(m.sizes[4], 2);  // 8 bytes of length, 3 of text, padding
  EXPECT_EQ(m.sizes[6], 1);
  EXPECT_EQ(m.sizes[9], 1);
}

RANK_TEST(active_messages_are_counted_with_their_payload) {
  const am::statistics s = during([] {
    for (int i = 0; i < 10; ++i) am::request<take_message>(here().next, 1L);
    const std::span<const std::byte> text = std::as_bytes(std::span("0123456789abcde"));
    am::request<take_payload>(here().next, text, 1);
  });
  EXPECT_EQ(s.one_way_calls_sent, 11);
  EXPECT_EQ(method(s, "take_message").messages, 10);
  EXPECT_EQ(method(s, "take_message").bytes, 80);
  EXPECT_EQ(method(s, "take_payload").messages, 1);
  EXPECT_EQ(method(s, "take_payload").bytes, 32);
}

RANK_TEST(a_long_payload_goes_by_a_block) {
  const am::statistics s = during([] { am::async<&take_vector>(here().next, std::vector<double>(100000, 1.0)); });
  EXPECT_EQ(s.bulk_sent, 1);
  EXPECT_GE(s.bulk_bytes_sent, 800000);
  EXPECT_LT(s.bulk_bytes_sent, 800100);
  EXPECT_EQ(method(s, "(vector<double>)").messages, 1);
  EXPECT_EQ(method(s, "(vector<double>)").bytes, s.bulk_bytes_sent);
  EXPECT_LT(s.bytes_sent, 1000);
}

RANK_TEST(what_one_rank_sends_another_receives) {
  const am::statistics s = during([] {
    for (int i = 0; i < 300; ++i) am::async<&take_text>(i % am::ranks(), std::string(std::size_t(i), 'y'));
  });
  EXPECT_GT(s.frames_sent, 0);
  EXPECT_EQ(on_all(s.frames_sent), on_all(s.frames_received));
  EXPECT_EQ(on_all(s.bytes_sent), on_all(s.bytes_received));
}

RANK_TEST(collectives_are_counted_by_kind) {
  const am::statistics s = during([] {
    am::barrier();
    am::barrier();
    am::fence();
    EXPECT_EQ(on_all(1), am::ranks());
    static_cast<void>(am::all_gather(am::rank()));
  });
  EXPECT_EQ(s.barriers, 3);  // with the one at the begin
  EXPECT_EQ(s.fences, 2);    // with the one at the end
  EXPECT_GE(s.fence_rounds, 2);
  EXPECT_EQ(s.collectives, 2);
  EXPECT_EQ(s.frames_sent, 0);
}

RANK_TEST(bulk_access_is_counted_with_its_bytes) {
  const am::global_ptr<double> mine = am::allocate<double>(100);
  const auto theirs = am::all_gather(mine)[std::size_t(here().next)];
  const am::statistics s = during([&] {
    std::vector<double> values(100, 1.0);
    am::put(theirs, values);
    am::sync_memory();
    am::get(values, theirs);
    am::get(values, theirs);
    am::sync_memory();
  });
  EXPECT_EQ(s.puts, 1);
  EXPECT_EQ(s.put_bytes, 800);
  EXPECT_EQ(s.gets, 2);
  EXPECT_EQ(s.get_bytes, 1600);
  am::deallocate(mine);
}

RANK_TEST(phases_split_what_happens) {
  const auto work = [](const char* name, int n) {
    am::phase p(name);
    for (int i = 0; i < n; ++i) am::async<&take_number>(here().next, i);
    am::fence();
  };
  const am::statistics s = during([&] {
    work("first", 10);
    work("second", 5);
    work("first", 20);
  });
  std::uint64_t in_phases = 0;
  for (const am::phase_statistics& p : am::phases()) {
    if (p.name != "first" && p.name != "second") continue;
    in_phases += p.what.one_way_calls_sent;
    EXPECT_EQ(p.times, p.name == "first" ? 2 : 1);
    EXPECT_EQ(p.what.one_way_calls_sent, p.name == "first" ? 30 : 5);
    EXPECT_GT(p.what.seconds, 0);
  }
  EXPECT_EQ(in_phases, s.one_way_calls_sent);
}

RANK_TEST(messages_belong_to_the_phase_in_which_they_run) {
  am::fence();
  {
    am::phase p("running");
    am::barrier();
    for (int i = 0; i < 7; ++i) am::async<&take_number>(here().next, i);
    am::fence();
  }
  for (const am::phase_statistics& p : am::phases())
    if (p.name == "running") EXPECT_EQ(method(p.what, "async").messages, 7);
}

RANK_TEST(fibers_are_counted_when_they_are_made) {
  const am::statistics s = during([] {
    for (int i = 0; i < 3; ++i) am::spawn([] {}).join();
    am::call(am::rank(), [] { am::call(am::rank(), [] {}).get(); }).get();  // waits: another fiber becomes the loop
  });
  EXPECT_EQ(s.fibers_made, 4);
}

RANK_TEST(signals_are_counted_where_somebody_waits) {
  const am::statistics s = during([] {
    am::condition_variable c;
    am::sync_var<int> v;
    am::latch begun(2);
    bool go = false;
    auto a = am::spawn([&] {
      begun.count_down();
      c.wait_unlocked([&] { return go; });
    });
    auto b = am::spawn([&] {
      begun.count_down();
      EXPECT_EQ(v.read(), 7);
    });
    begun.wait();
    go = true;
    c.notify_all();
    v = 7;
    a.join();
    b.join();
    c.notify_all();  // no fiber waits
  });
  EXPECT_EQ(s.signals, 3);
}

RANK_TEST(the_job_says_what_carries_it) {
  const char* const asked = std::getenv("ARMILLA_FABRIC");
  EXPECT_EQ(am::fabric(), std::string(asked == nullptr || am::ranks() == 1 ? am::fabric() : asked));
  EXPECT(!am::fabric().empty());
}

RANK_TEST(a_body_can_take_a_snapshot) {
  EXPECT_GT(am::call(here().next, [] { return am::stats().bundles_received; }).get(), 0);
}

RANK_TEST(times_add_up_to_the_wall_clock) {
  const am::statistics s = during([] {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(am::call<&ask>(here().next, 1.0).get(), 2.0);
  });
  EXPECT_GT(s.time.cpu, 0);
  EXPECT_GT(s.time.net, 0);
  EXPECT_GT(s.time.runtime, 0);
  EXPECT_GE(s.time.thread_management, 0);  // bodies run on the loop, so it is switched to
  EXPECT_EQ(s.time.thread_synchronisation, 0);
  EXPECT_GT(s.time.sum(), 0);
  EXPECT_LE(s.time.sum(), 1.2 * s.seconds);
  EXPECT_GT(s.borders, 0);
}

RANK_TEST(every_scope_of_a_component_ends) {
  using am::detail::component;
  using am::detail::current;
  using am::detail::stats_of;
  const auto now_in = [] { return stats_of(*current).watch->now_in(); };
  EXPECT_EQ(int(now_in()), int(component::cpu));
  EXPECT_THROWS(am::usage_error, am::async<&take_number>(-1, 1));
  EXPECT_THROWS(am::remote_error, am::call(here().next, [] { throw 1; }).get());
  EXPECT_EQ(int(now_in()), int(component::cpu));
  EXPECT_EQ(am::call(here().next, [] { return int(stats_of(*current).watch->now_in()); }).get(), int(component::cpu));
  EXPECT_EQ(am::call<&ask>(here().next, 1.0).then([now_in](double) { return int(now_in()); }).get(), int(component::cpu));
  EXPECT_EQ(int(now_in()), int(component::cpu));
}
