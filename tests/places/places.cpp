// SPDX-License-Identifier: Apache-2.0
// A program of a user that throws, crashes and waits. places_test.py looks for the lines with the comments `throws`, `asks`,
// `waits`, `crashes`.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "armilla/algorithms.hpp"
#include "armilla/armilla.hpp"
#include "armilla/array.hpp"
#include "armilla/sync_var.hpp"

namespace am = armilla;

namespace {

constexpr am::rank_t other = 1;

// An allocator that what has crashed has left locked.
volatile bool is_locked = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  while (is_locked) pause();
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heat {

[[gnu::noinline]] int read(int x) {
  if (x >= 0) throw std::runtime_error("no heat");  // throws
  return x;
}

[[gnu::noinline]] int element(int x) {
  const std::vector<int> all(2);
  return all.at(std::size_t(x) + 2);  // throws at
}

struct furnace {
  [[gnu::noinline]] int burn(int x) { return x + read(x); }  // burns
};

[[gnu::noinline]] int ask(int x) {
  return am::call(other, [](int y) { return read(y); }, x).get();  // asks
}

[[gnu::noinline]] int ask_by_one_more(int x) {
  return am::call(other, [](int y) { return am::call(2, [](int z) { return read(z); }, y).get(); }, x).get();  // asks one more
}

[[gnu::noinline]] void tell(int x) {
  if (am::rank() == 0) am::async(other, [](int y) { read(y); }, x);
  am::fence();  // fences
}

[[gnu::noinline]] void spawn_there(int x) {
  if (am::rank() == 0) am::async(other, [](int y) { am::spawn([y] { read(y); }).detach(); }, x);
  am::fence();  // fences for a fiber
}

[[gnu::noinline]] void each() {
  am::array<int> a(std::size_t(am::ranks()), 1);
  am::for_each(a, [](int& x) {
    if (am::rank() == other) x = element(x);
  });  // runs over all
}

[[gnu::noinline]] void crash(int* p) {
  *p = 1;  // crashes
}

[[gnu::noinline]] int wait() {
  static am::sync_var<int> never;
  return never.read();  // waits
}

[[gnu::noinline]] int join() {
  am::fiber<int> one = am::spawn(wait);
  return one.join();  // joins
}

[[gnu::noinline]] void meet() {
  am::barrier();  // meets
}

}  // namespace heat

namespace {

int* volatile nowhere = nullptr;

void crash_without_an_allocator() {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarms, nullptr);
  is_locked = true;
  heat::crash(nowhere);
}

int play(const std::string& scene) {
  if (scene == "call" && am::rank() == 0) heat::ask(1);
  if (scene == "chain" && am::rank() == 0) heat::ask_by_one_more(1);
  if (scene == "own" && am::rank() == other) heat::read(1);
  if (scene == "async") heat::tell(1);
  if (scene == "fiber") heat::spawn_there(1);
  if (scene == "for_each") heat::each();
  if (scene == "crash" && am::rank() == other) heat::crash(nowhere);
  if (scene == "locked_crash" && am::rank() == other) crash_without_an_allocator();
  if (scene == "caught" && am::rank() == 0) {
    try {
      heat::ask(1);
    } catch (const am::remote_error& e) { std::printf("%s|%s\n", e.where().c_str(), e.thrown_at().c_str()); }
  }
  if (scene == "object" && am::rank() == 0) {
    const am::remote<heat::furnace> f = am::create<heat::furnace>(other).get();
    am::call<&heat::furnace::burn>(f, 1).get();
  }
  if (scene == "join") heat::join();
  if (scene == "wait" && am::rank() == 0) heat::meet();
  if (scene == "wait" && am::rank() == other) heat::join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return am::run(argc, argv, [argv] { return play(argv[1]); });
}
