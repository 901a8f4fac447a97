// SPDX-License-Identifier: Apache-2.0
// Counts the instructions that hot paths take on this processor. A parent runs its child one instruction at a time.
// The counts show that a path grew where times are too noisy to show it.
//
//   steps            prints the counts
//   steps LIMITS     compares them with the lines "name count" of that file; exit code 1 if one is more than 3 % above
//
// One rank, which calls itself and reads its own memory, so that no count depends on another rank.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "armilla/armilla.hpp"
#include "armilla/unordered_map.hpp"
#include "armilla/vector.hpp"
#include "watched.hpp"

namespace am = armilla;

namespace {

constexpr int warm_up = 64;
constexpr int repeats = 3;  // the least counts: now and then a path polls once more or takes a new page
constexpr long percent = 3;

long taken = 0;
double number = 0;

struct part {
  long sum = 0;
  void add(long n) { sum += n; }
  long total(long n) { return sum += n; }
};

struct four_numbers {
  std::array<double, 4> of;
};

am::per_rank<long> one_each;

template <class F>
[[gnu::noinline]] void measure(F&& once) {
  for (int i = 0; i < warm_up; ++i) once();
  for (int i = 0; i < repeats; ++i) {
    watched::mark();
    once();
    watched::mark();
  }
  am::fence();
}

void one_way(long n) { taken += n; }
long plus_one(long n) { return n + 1; }

// Calls.
void nothing() {
  measure([] {});
}
void one_way_call() {
  am::set_aggregation(0);
  measure([] { am::async(0, [](long n) { taken += n; }, 1L); });
  am::set_aggregation(std::size_t{4096});
}
void one_way_call_to_run() {
  measure([] { am::async(0, [](long n) { taken += n; }, 1L); });
}
void one_way_call_by_pointer() {
  measure([] { am::async(0, &one_way, 1L); });
}
void two_way_call() {
  measure([] { taken += am::call(0, [](long n) { return n + 1; }, 1L).get(); });
}
void two_way_call_to_completion() {
  measure([] { taken += am::call(0, am::to_completion<&plus_one>(), 1L).get(); });
}
void two_way_call_struct() {
  const four_numbers four{};
  measure([&] { number += am::call(0, [](const four_numbers& f) { return f.of[1]; }, four).get(); });
}
void two_way_call_vector() {
  const std::vector<double> twenty(20, 1.0);
  measure([&] { number += am::call(0, [](const std::vector<double>& v) { return v[3]; }, twenty).get(); });
}
void two_way_call_8_at_once() {
  std::vector<am::future<long>> answers(8);
  measure([&] {
    for (auto& answer : answers) answer = am::call(0, [](long n) { return n + 1; }, 1L);
    for (auto& answer : answers) taken += answer.get();
  });
}
void future_get() {
  for (int i = 0; i < warm_up + repeats; ++i) {
    am::future<long> answer = am::call(0, [](long n) { return n + 1; }, 1L);
    answer.wait();
    if (i >= warm_up) watched::mark();
    taken += answer.get();
    if (i >= warm_up) watched::mark();
  }
}
void future_then() {
  measure([] { taken += am::make_future(1L).then([](long n) { return n + 1; }).get(); });
}
void member_one_way_call() {
  am::distributed<part> parts;
  const auto there = parts.on(0);
  measure([&] { am::async<&part::add>(there, 1L); });
}
void member_two_way_call() {
  am::distributed<part> parts;
  const auto there = parts.on(0);
  measure([&] { taken += am::call<&part::total>(there, 1L).get(); });
}
void processor_object_two_way_call() {
  const am::remote<part> made = am::create<part>(0).get();
  measure([&] { taken += am::call<&part::total>(made, 1L).get(); });
  am::destroy(made);
}
void poll_empty() {
  measure([] { am::poll(); });
}

// Teams. One rank: what it does before and after it meets others.
void fence_idle() {
  measure([] { am::fence(); });
}
void barrier_alone() {
  measure([] { am::barrier(); });
}
void all_reduce_alone() {
  measure([] { taken += am::all_reduce(1L, std::plus<>{}); });
}
void broadcast_alone() {
  measure([] { taken += am::broadcast(1L, 0); });
}

// Global memory.
template <class F>
void with_memory(F&& once) {
  const am::global_ptr<double> p = am::allocate<double>(64);
  measure([&] { once(p); });
  am::sync_memory();
  am::all_store_sync();
  am::deallocate(p);
}
void global_read() {
  with_memory([](const auto& p) { number += p[1]; });
}
void global_write() {
  with_memory([](const auto& p) { p[1] = 1.0; });
}
void get_8() {
  with_memory([](const auto& p) { am::get(number, p), am::sync_memory(); });
}
void put_8() {
  with_memory([](const auto& p) { am::put(p, 1.0), am::sync_memory(); });
}
void put_160() {
  const std::vector<double> twenty(20, 1.0);
  with_memory([&](const auto& p) { am::put(p, twenty), am::sync_memory(); });
}
void store_8() {
  with_memory([](const auto& p) { am::store(p, 1.0); });
}
void all_store_sync_idle() {
  measure([] { am::all_store_sync(); });
}
void atomic_fetch_add() {
  const am::global_ptr<long> n = one_each.on(0);
  measure([&] { taken += am::atomic_fetch_add(n, 1); });
}
void atomic_add() {
  const am::global_ptr<long> n = one_each.on(0);
  measure([&] { am::atomic_add(n, 1); });
}
void per_rank_local() {
  measure([] { ++one_each.local(); });
}
void spread_array_read() {
  am::spread_array<double> a(64);
  measure([&] { number += a[17]; });
}

// Fibers.
void spawn_join() {
  measure([] { taken += am::spawn([] { return 1L; }).join(); });
}
void yield_alone() {
  measure([] { am::yield(); });
}
void yield_of_two() {
  bool done = false;
  am::fiber<void> other = am::spawn([&done] {
    while (!done) am::yield();
  });
  measure([] { am::yield(); });
  done = true;
  other.join();
}
void parfor_16() {
  measure([] { am::parfor(0, 16, [](int i) { taken += i; }); });
}
void sync_var_write_get() {
  measure([] {
    am::sync_var<long> v;
    asm volatile("" ::"r"(&v) : "memory");  // otherwise clang folds all of it
    v.write(1), taken += v.get();
  });
}
void mutex_lock() {
  am::mutex m;
  measure([&] { m.lock(), m.unlock(); });
}

// Containers.
void vector_read() {
  am::vector<double> v(64);
  measure([&] { number += v[17]; });
}
void vector_write() {
  am::vector<double> v(64);
  measure([&] { v[17] = 1.0; });
}
void vector_update() {
  am::vector<double> v(64);
  measure([&] { v.update(17, 1.0, std::plus<>{}); });
}
void map_update() {
  am::unordered_map<long, long> m;
  measure([&] { m.update(17L, 1L, std::plus<>{}); });
}
void map_insert_new() {
  am::unordered_map<long, long> m;
  for (long key = 1000; key < 2000; ++key) m.insert(key, 1L);  // grown, so that no insertion below grows it
  am::fence();
  long key = 0;
  measure([&] { m.insert(++key, 1L); });
}
void map_find() {
  am::unordered_map<long, long> m;
  m.insert(17L, 1L);
  am::fence();
  measure([&] { taken += m.find(17L).get().value_or(0); });
}

struct path {
  const char* name;
  void (*run)();
};

const std::vector<path> paths{
    {"nothing", &nothing},
    {"one_way_call", &one_way_call},
    {"two_way_call", &two_way_call},
    {"poll_empty", &poll_empty},
    {"one_way_call_to_run", &one_way_call_to_run},
    {"one_way_call_by_pointer", &one_way_call_by_pointer},
    {"two_way_call_to_completion", &two_way_call_to_completion},
    {"two_way_call_struct", &two_way_call_struct},
    {"two_way_call_vector", &two_way_call_vector},
    {"two_way_call_8_at_once", &two_way_call_8_at_once},
    {"future_get", &future_get},
    {"future_then", &future_then},
    {"member_one_way_call", &member_one_way_call},
    {"member_two_way_call", &member_two_way_call},
    {"processor_object_two_way_call", &processor_object_two_way_call},
    {"fence_idle", &fence_idle},
    {"barrier_alone", &barrier_alone},
    {"all_reduce_alone", &all_reduce_alone},
    {"broadcast_alone", &broadcast_alone},
    {"global_read", &global_read},
    {"global_write", &global_write},
    {"get_8", &get_8},
    {"put_8", &put_8},
    {"put_160", &put_160},
    {"store_8", &store_8},
    {"all_store_sync_idle", &all_store_sync_idle},
    {"atomic_fetch_add", &atomic_fetch_add},
    {"atomic_add", &atomic_add},
    {"per_rank_local", &per_rank_local},
    {"spread_array_read", &spread_array_read},
    {"spawn_join", &spawn_join},
    {"yield_alone", &yield_alone},
    {"yield_of_two", &yield_of_two},
    {"parfor_16", &parfor_16},
    {"sync_var_write_get", &sync_var_write_get},
    {"mutex_lock", &mutex_lock},
    {"vector_read", &vector_read},
    {"vector_write", &vector_write},
    {"vector_update", &vector_update},
    {"map_update", &map_update},
    {"map_insert_new", &map_insert_new},
    {"map_find", &map_find},
};

int child(int argc, char** argv) {
  watched::begin_child();
  return am::run(argc, argv, [] {
    for (const path& each : paths) each.run();
    return 0;
  });
}

// Instructions from one mark to the next, or -1 if the child has ended.
long steps_of(pid_t child) {
  long steps = 0;
  return watched::to_next_mark(child) && watched::step_to_mark(child, [&] { ++steps; }) ? steps : -1;
}

long least_steps_of(pid_t child) {
  long least = steps_of(child);
  for (int i = 1; i < repeats; ++i) least = std::min(least, steps_of(child));
  return least;
}

std::map<std::string, long> read_limits(const char* file) {
  std::map<std::string, long> limits;
  std::ifstream in(file);
  std::string name;
  for (long limit = 0; in >> name >> limit;) limits[name] = limit;
  return limits;
}

// Prints the count of a path. False if it exceeds its limit; a path without a limit passes.
bool judge(const char* name, long steps, const std::map<std::string, long>& limits) {
  std::printf("%-26s %6ld instructions", name, steps);
  const auto found = limits.find(name);
  const long most = found == limits.end() ? steps : found->second + found->second * percent / 100;
  if (found != limits.end()) std::printf(", at most %ld%s", most, steps > most ? ": ABOVE" : "");
  std::puts("");
  return steps <= most;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t me = fork();
  if (me == 0) return child(1, argv);
  const auto limits = argc > 1 ? read_limits(argv[1]) : std::map<std::string, long>{};
  if (!watched::stopped(me))
    return std::fputs("steps: the system does not let a process be watched\n", stderr), watched::not_allowed;
  bool good = true;
  long nothing = 0;
  for (const path& each : paths) {
    const long steps = least_steps_of(me);
    if (steps < 0) return std::fprintf(stderr, "steps: %s ended early\n", each.name), 1;
    if (each.run == &::nothing)
      nothing = steps;
    else
      good = judge(each.name, steps - nothing, limits) && good;
  }
  watched::let_go(me);
  return good ? 0 : 1;
}
