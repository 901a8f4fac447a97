// SPDX-License-Identifier: Apache-2.0
// A program of a user that throws, crashes, exits, waits and computes. places_test.py looks for the lines with the comments
// `throws`, `asks`, `waits`, `crashes`, `spins`, `locks`, `leaves`.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "armilla/algorithms.hpp"
#include "armilla/armilla.hpp"
#include "armilla/array.hpp"
#include "armilla/bitmap.hpp"
#include "armilla/files.hpp"
#include "armilla/list.hpp"
#include "armilla/sync_var.hpp"
#include "armilla/unordered_map.hpp"

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

struct stove {
  [[gnu::noinline]] explicit stove(int x) : heat(read(x)) {}
  int heat;
};

// All in which read() throws on one rank, inside of what the library calls.
[[gnu::noinline]] void throw_within(const std::string& what) {
  const bool here = am::rank() == other;
  const int x = here ? 1 : -1;
  if (what == "parfor" && here) am::parfor(0, 4, [](int i) { read(i == 2 ? i : -1); });
  if (what == "join" && here) am::spawn(read, 1).join();
  if (what == "then" && here) am::call(0, [] { return 1; }).then([](int y) { return read(y); }).get();
  if (what == "create" && am::rank() == 0) am::create<stove>(other, 1).get();
  if (what == "reduce") am::world().all_reduce(x, [](int a, int b) { return read(std::max(a, b)); });
  if (what == "lines")
    am::write_lines("/dev/null", std::views::iota(0, 1) | std::views::transform([x](int) { return std::to_string(read(x)); }));
  if (what == "bitmap") {
    am::bitmap bits(1000);
    bits.set(std::size_t(am::rank()));
    am::fence();
    bits.for_each_set([](std::size_t i) { read(int(i)); });
  }
  if (what == "list") {
    am::list<int> all;
    all.push_back(1);
    am::fence();
    all.for_each_in_order([](int& y) { read(y); });
  }
  if (what == "map") {
    am::unordered_map<int, int> m;
    m.insert(1, 1);
    am::fence();
    m.visit(1, [](int& y) { read(y); });
    am::fence();
  }
}

[[gnu::noinline]] void spin() {
  for (const volatile bool* const never = new bool(false); !*never;) continue;  // spins
}

// What another fiber of the rank does, too: it takes no turn while this one waits for the mutex.
[[gnu::noinline]] void hold() {
  static std::mutex all;
  const std::lock_guard held(all);  // locks
  am::sleep_for(std::chrono::milliseconds(10));
}

[[gnu::noinline]] void leave(int code) {
  std::exit(code);  // leaves
}

struct closed {
  [[gnu::noinline]] ~closed() { read(1); }  // which throws out of what must not
};

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

[[gnu::noinline]] void wait_often() {
  std::vector<am::fiber<int>> all;
  for (int i = 0; i < 100; ++i) all.push_back(am::spawn(wait));
  for (am::fiber<int>& each : all) each.join();  // joins all
}

[[gnu::noinline]] int ask_for_ever() {
  return am::call(other, [] { return wait(); }).get();  // asks for ever
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
  if (scene == "exit" && am::rank() == other) heat::leave(0);
  if (scene == "destructor" && am::rank() == other) heat::closed();
  if (scene == "crash_of_all") heat::crash(nowhere);
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
  if (scene == "spin" && am::rank() == other) heat::spin();
  if (scene == "lock" && am::rank() == other) {
    am::fiber first = am::spawn(heat::hold);
    heat::hold();
    first.join();
  }
  if (scene.starts_with("throw in ")) heat::throw_within(scene.substr(9));
  if (scene == "wait" && am::rank() != other) heat::meet();
  if (scene == "wait" && am::rank() == other) heat::join();
  if (scene == "body" && am::rank() == 0) heat::ask_for_ever();
  if (scene == "many" && am::rank() == 0) heat::wait_often();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return am::run(argc, argv, [argv] { return play(argv[1]); });
}
