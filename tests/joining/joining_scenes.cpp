// SPDX-License-Identifier: Apache-2.0
// What ranks that join a running job may rely on, a scene each: joining_scenes SCENE. Driven by joining_test.py, which starts a
// job of two ranks, and when that has said "ready" lets two more join, of the same scene.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

using namespace std::chrono_literals;

constexpr am::rank_t first = 2, joined = 2;  // joiners: ranks 2 and 3

void say(const std::string& what) {
  std::printf("rank %d: %s\n", int(am::rank()), what.c_str());
  std::fflush(stdout);
}

void say_if(bool good, const std::string& what) { say(good ? what : "WRONG, not so: " + what); }

void say_ready() {
  if (am::rank() == 0) say("ready");
}

bool is_here() { return am::joined(); }

/// Until a rank in that place answers.
void await_joiner(am::rank_t r) {
  for (;;) try {
      if (am::call(r, is_here).get()) return;
    } catch (const am::rank_lost&) { am::sleep_for(1ms); }
}

void await_joiners() {
  for (am::rank_t r = first; r < first + joined; ++r) await_joiner(r);
}

// ---- calls ----

void calls() {
  say_ready();
  if (am::rank() != 0) return am::barrier();
  await_joiners();
  const auto twice = [](int x) { return 2 * x + int(am::rank()); };
  say_if(am::call(2, twice, 20).get() == 42 && am::call(3, twice, 20).get() == 43, "joiners are called");
  say_if(am::ranks() == 2 && am::world().size() == 2, "the world stays");
  am::barrier();
}

void call_back() {
  const int sum = am::call(0, [](int x) { return x + int(am::ranks()); }, 40).get();
  say_if(sum == 42 && am::ranks() == 2 && am::rank() >= first && am::joined() && am::world().rank() == -1, "a joiner calls");
}

// ---- ranks that are not there yet ----

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const am::error& e) { return e.what(); }
  return "nothing";
}

am::per_rank<int> noted_there;

void not_there() {
  if (am::rank() == 0) {
    say(error_of([] { am::call(3, is_here).get(); }));
    say(error_of([] { am::async(3, [] {}), am::flush(); }));
    say(error_of([] { am::call(9, is_here).get(); }));
    say(error_of([] { (void)int(*noted_there.on(3)); }));
  }
  am::fence();
}

// ---- teams ----

am::per_rank<std::int64_t> noted;

/// The team of all.
am::team all_of(am::team t) {
  while (t.size() < first + joined) t = t.grow();
  return t;
}

// All members alike, also those that came in.
void use(const am::team& t) {
  const auto n = std::int64_t(t.size());
  const bool sums =
      t.all_reduce(std::int64_t(am::rank()), [](std::int64_t a, std::int64_t b) { return a + b; }) == n * (n - 1) / 2;
  for (am::rank_t i = 0; i < t.size(); ++i) am::async(t.world_rank(i), [](std::int64_t x) { *noted += x; }, am::rank() + 1);
  t.fence();
  const bool fences = *noted == n * (n + 1) / 2;
  am::array<std::int64_t> a(1000, am::on(t));
  am::iota(a, std::int64_t{0});
  am::for_each(a, [](std::int64_t& x) { x = x * 7919 % 1000; });
  am::sort(a);
  const bool sorted = am::is_sorted(a) && am::reduce(a) == 999 * 500;
  const am::team half = t.split(t.rank() % 2);
  say_if(sums && fences && sorted && half.size() == 2, "a team of " + std::to_string(n) + " works");
}

void teams() {
  say_ready();
  use(all_of(am::world()));
}

void be_in_team() {
  const am::team t = am::await_team();
  if (!t) return say("WRONG: no team");
  use(all_of(t));
}

void check(const am::vector<double>& x, am::unordered_map<std::string, int>& words) {
  const bool shared =
      x.members().size() == first + joined && x.local().size() == 250 && x.local()[0] == double(x.index_of_local(0));
  words.update("word", 1, std::plus<>{});
  x.members().fence();
  say_if(shared && words.find("word").get() == 6 && words.size() == 101, "containers are spread over all");
}

void containers() {
  say_ready();
  am::vector<double> x(1000);
  am::iota(x, 0.0);
  am::unordered_map<std::string, int> words;
  for (int i = 0; i < 100; ++i) words.update("word " + std::to_string(i), 1, std::plus<>{});
  words.update("word", 1, std::plus<>{});
  const am::team t = all_of(am::world());
  x = am::rebalance(t, std::move(x));
  words = am::rebalance(t, std::move(words));
  check(x, words);
}

void take_containers() {
  const am::team t = all_of(am::await_team());
  const auto x = am::rebalance<am::vector<double>>(t);
  auto words = am::rebalance<am::unordered_map<std::string, int>>(t);
  check(x, words);
}

// ---- fences and the end ----

am::per_rank<std::int64_t> received;

// Fences are those of the world: they wait for no joiner, whatever that does.
void fences() {
  say_ready();
  await_joiners();
  for (int i = 0; i < 200; ++i) {
    am::async(1 - am::rank(), [] { ++*received; });
    am::fence();
    if (*received != i + 1) return say("WRONG: a fence counts " + std::to_string(*received) + " after " + std::to_string(i + 1));
  }
  say("fences of the world");
}

void flood() {
  for (int i = 0; i < 2000; ++i) am::async(am::rank_t(i % 2), [] { ++*noted; });
}

// What joiners have sent, and what comes of it, has happened before the job ends.
int hops = 0;
am::rank_t self = -1;

void hop(int left) {
  ++hops;
  if (left > 0) am::async(am::rank_t((am::rank() + 1) % 4), hop, left - 1);
}

void say_hops() {
  if (self >= 0) std::printf("rank %d: %s\n", int(self), hops == 1000 ? "all has come" : "WRONG number of hops");
}

void send_late() {
  for (int i = 0; i < 500; ++i) am::async(am::rank(), hop, 3);
}

// All have heard of all when the last messages begin.
int heard = 0;

void sends_late() {
  self = am::rank();
  say_ready();
  await_joiners();
  while (am::rank() == 0 && heard < joined) am::sleep_for(1ms);
  am::barrier();
  for (am::rank_t r = first; am::rank() == 0 && r < first + joined; ++r) am::async(r, send_late);
}

void be_sent_late() {
  self = am::rank();
  await_joiners();
  am::call(0, [] { ++heard; }).get();
}

// ---- ranks that have not heard yet ----

int hits = 0;
bool is_over = false;

// A joiner calls rank 0, that tells rank 1, and rank 1, which never waits, sends to the joiner.
void unheard() {
  say_ready();
  if (am::rank() == 1)
    while (!is_over) am::async(1, [] {}), am::poll();
  else
    while (hits < joined) am::sleep_for(1ms);
  if (am::rank() == 0) am::call(1, [] { is_over = true; }).get();
  am::barrier();
}

void send_through_one_that_has_not_heard() {
  const auto hit = [] { ++hits; };
  const auto send_on = [hit](am::rank_t joiner) { am::async(joiner, hit), am::flush(); };
  am::call(0, [send_on](am::rank_t joiner) { am::async(1, send_on, joiner), am::flush(); }, am::rank()).get();
  while (hits == 0) am::sleep_for(1ms);
  say("was reached");
  am::call(0, hit).get();
}

// ---- errors at the end ----

void error_at_the_end() {
  if (am::rank() == 0) am::async(1, [] { throw std::runtime_error("too late"); });
}

// The first ranks wait for what only a joiner does.
am::per_rank<am::counter> done_there;

void wait_for_joiners() {
  say_ready();
  if (am::rank() == 0) done_there->wait(joined);
  am::barrier();
  if (am::rank() == 0) say("joiners have come");
}
void add_there() { done_there.on(0).signal(); }

// ---- long messages, memory ----

void memory() {
  say_ready();
  if (am::rank() != 0) return am::barrier();
  await_joiners();
  std::vector<double> many(300'000);
  std::iota(many.begin(), many.end(), 0.0);
  const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  const auto mine = am::allocate<double>(many.size());
  std::copy(many.begin(), many.end(), mine.local());
  const auto read = [](am::global_ptr<double> p, std::size_t n) {
    std::vector<double> all(n);
    am::get(all, p);
    am::sync_memory();
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  const double expected = sum(many);
  const auto theirs = am::call(3, [](std::size_t n) { return am::allocate<double>(n); }, many.size()).get();
  am::put(theirs, many);
  am::sync_memory();
  const auto at = am::call(3, [](am::global_ptr<double> p) { return p.local()[299'999]; }, theirs).get();
  say_if(am::call(2, sum, many).get() == expected && am::call(3, read, mine, many.size()).get() == expected && at == 299'999.0,
         "long messages and memory");
  am::barrier();
}

void serve_until_the_end() {}

struct scene {
  const char* name;
  void (*of_first)();
  void (*of_joiner)();
};

constexpr scene scenes[] = {
    {"calls", calls, call_back},
    {"not_there", not_there, serve_until_the_end},
    {"teams", teams, be_in_team},
    {"containers", containers, take_containers},
    {"fences", fences, flood},
    {"unheard", unheard, send_through_one_that_has_not_heard},
    {"error_at_the_end", error_at_the_end, serve_until_the_end},
    {"wait_for_joiners", wait_for_joiners, add_there},
    {"sends_late", sends_late, be_sent_late},
    {"memory", memory, serve_until_the_end},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  for (const scene& one : scenes)
    if (one.name == name) {
      am::on_join(one.of_joiner);
      const int code = am::run(argc, argv, one.of_first);
      say_hops();
      return code;
    }
  std::fprintf(stderr, "joining_scenes: no scene '%s'\n", name.c_str());
  return 2;
}
