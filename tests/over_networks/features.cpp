// SPDX-License-Identifier: Apache-2.0
// A program that tries one feature, its first argument, and prints what rank 0 found. Driven by features_test.py.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <armilla/armilla.hpp>

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

am::per_rank<std::int64_t> value, done, came;
am::per_rank<bool> seen;

am::rank_t last() { return am::ranks() - 1; }

// Computes, without a call of the library, until the others' accesses are there; not longer than they may take.
bool compute_until(std::int64_t& counter, std::int64_t expected) {
  const std::atomic_ref<std::int64_t> now(counter);
  const auto until = std::chrono::steady_clock::now() + 4s;
  while (now.load() < expected && std::chrono::steady_clock::now() < until) {}
  return now.load() >= expected;
}

// The other rank has left the barrier by then, and computes: no poll of it takes what follows.
void let_it_compute() { std::this_thread::sleep_for(100ms); }

void say(const char* feature) {
  am::fence();
  if (am::rank() == 0) std::printf("%s: %s\n", feature, bool(*seen.on(last())) ? "yes" : "no");
}

// Rank 0 reads, writes and adds to memory of a rank that computes.
void one_sided() {
  *value = 7;
  am::barrier();
  if (am::rank() == last()) *seen = compute_until(*done, 1);
  if (am::rank() == 0) {
    let_it_compute();
    std::int64_t got = *value.on(last());
    am::put(value.on(last()), got + 1);
    am::sync_memory();
    am::atomic_fetch_add(done.on(last()), 1);
  }
  say("access");
}

// Rank 0 calls a function there that may run beside the computation.
void safe_calls() {
  am::barrier();
  if (am::rank() == last()) *seen = compute_until(*done, 1);
  if (am::rank() == 0) {
    let_it_compute();
    am::call(last(), am::safe([] { std::atomic_ref(*done).fetch_add(1); })).get();
  }
  say("safe");
}

// The same with a function that is not safe, and a computation that allows it.
void interrupts() {
  am::barrier();
  if (am::rank() == last()) {
    const am::interruptible here;
    *seen = compute_until(*done, 1);
  }
  if (am::rank() == 0) {
    let_it_compute();
    am::call(last(), [] { ++*done; }).get();
  }
  say("interrupts");
}

// No rank ever writes what all wait for.
void stalls() { am::sync_var<int>().read(); }

// The same; somebody asks the last rank once all wait.
void who_waits() {
  am::barrier();
  const bool asks = am::rank() == last();
  std::thread user([asks] {
    std::this_thread::sleep_for(1s);
    if (asks) kill(getpid(), SIGUSR1);
  });
  am::sync_var<int>().read();
}

void say_alone(const char* feature, bool works) {
  if (am::rank() == 0) std::printf("%s: %s\n", feature, works ? "yes" : "no");
}

// When the others have passed the barrier, too.
void die_if_last() {
  am::barrier();
  if (am::rank() != last()) return;
  am::sleep_for(100ms);
  raise(SIGKILL);
}

// One rank is killed: one fence of the others tells it, and the next one works.
void goes_on() {
  die_if_last();
  bool told = false;
  try {
    am::fence();
  } catch (const am::rank_lost&) { told = true; }
  am::fence();
  say_alone("continue", told);
}

// What a new rank does: rank 0 waits for it.
void come() {
  am::call(0, [] { ++*came; }).get();
}

void await_new_rank(const char* feature) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (am::rank() == 0 && *came == 0 && std::chrono::steady_clock::now() < until) am::sleep_for(1ms);
  say_alone(feature, *came == 1);
}

void replaced() {
  die_if_last();
  await_new_rank("replace");
}

bool all_take_part(const am::team& t) {
  return t.all_reduce(1, [](int a, int b) { return a + b; }) == am::ranks();
}

// One rank is killed: the team of the others grows by the one that takes its place.
void grown() {
  die_if_last();
  const auto until = std::chrono::steady_clock::now() + 10s;
  am::team t = am::world().survivors();
  for (bool late = false; t.size() < am::ranks() && !late; t = t.grow())
    late = t.broadcast(std::chrono::steady_clock::now() > until, 0);
  say_alone("grow", all_take_part(t));
}

void come_into_team() {
  if (const am::team t = am::await_team()) all_take_part(t);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string feature = argc > 1 ? argv[1] : "";
  am::on_join([&feature] { feature == "grow" ? come_into_team() : come(); });
  return am::run(argc, argv, [&feature] {
    if (feature == "access") one_sided();
    if (feature == "safe") safe_calls();
    if (feature == "interrupts") interrupts();
    if (feature == "stalls") stalls();
    if (feature == "waits") who_waits();
    if (feature == "continue") goes_on();
    if (feature == "replace") replaced();
    if (feature == "grow") grown();
    if (feature == "join") await_new_rank("join");
  });
}
