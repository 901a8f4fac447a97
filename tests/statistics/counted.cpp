// SPDX-License-Identifier: Apache-2.0
// Does things whose number is known: each rank sends 100 one-way calls and asks 10 two-way calls, in phases. Then `counted fail`
// fails, with `counted throw` the last rank throws and with `counted kill` it is killed; before, `counted fibers` spawns some
// that wait for calls, `counted many` asks 1000 two-way calls more, `counted algorithms` goes through an array of which the last
// rank has four times as much as each other, `counted computes` computes for 30 ms between a call and the fence,
// `counted containers` makes containers with and without names, of which some end before the job, and `counted long` groups by
// key for more than a second.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

namespace {

void take(int) {}
void take_text(const std::string&) {}
int ask(int x) { return x + 1; }

void work(am::rank_t next) {
  am::phase outer("outer");
  am::barrier();
  {
    am::phase p("send");
    for (int i = 0; i < 90; ++i) am::async<&take>(next, i);
    for (int i = 0; i < 10; ++i) am::async<&take_text>(next, std::string(i < 5 ? 4 : 400, 'x'));
    am::fence();
  }
  am::barrier();
  am::phase p("ask");
  for (int i = 0; i < 10; ++i)
    if (am::call<&ask>(next, i).get() != i + 1) std::puts("wrong answer");
  am::fence();
}

void wait_in_fibers(am::rank_t next) {
  am::parfor(0, 8, [next](int i) {
    if (am::call<&ask>(next, i).get() != i + 1) std::puts("wrong answer");
  });
}

void use_algorithms() {
  std::vector<std::size_t> sizes(std::size_t(am::ranks()), 100);
  sizes.back() = 400;
  am::array<int> x(std::size_t(am::ranks() - 1) * 100 + 400, am::blocks(sizes));
  am::fill(x, 1);
  am::for_each(x, [](int& e) { ++e; });
  am::for_each(x, [](int& e) { ++e; });
}

void use_containers() {
  am::vector<double> t(1000, am::named("temperature"));
  am::fill(t, 1.0);
  if (am::count(t, 1.0) != 1000) std::puts("wrong answer");
  {
    am::unordered_map<int, int> ages(am::named("ages"));
    for (int i = 0; i < 100; ++i) ages.insert(i, i);
    am::fence();
  }
  for (int i = 0; i < 3; ++i) am::array<int> scratch(10 * std::size_t(am::ranks()));
}

void compute_before_the_fence(am::rank_t next) {
  am::phase p("computes");
  am::async<&take>(next, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  am::fence();
}

void group_for_long() {
  std::vector<int> keys(5 * 0x10000, am::rank());
  int seen = 0;
  am::count_by_key(keys, [&seen](int key) {
    if (++seen % 0x8000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return key;
  });
}

void end_badly(std::string_view how) {
  if (am::rank() != am::ranks() - 1) return am::barrier();  // which never ends
  if (how == "throw") throw std::runtime_error("as asked");
  std::raise(SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  return am::run(argc, argv, [how] {
    const am::rank_t next = (am::rank() + 1) % am::ranks();
    work(next);
    if (how == "algorithms") use_algorithms();
    if (how == "containers") use_containers();
    if (how == "computes") compute_before_the_fence(next);
    if (how == "long") group_for_long();
    if (how == "fibers") wait_in_fibers(next);
    for (int i = 0; how == "many" && i < 1000; ++i) static_cast<void>(am::call<&ask>(next, i).get());
    if (how == "throw" || how == "kill") end_badly(how);
    if (am::rank() == 0) std::puts("done");
    return how == "fail" ? 3 : 0;
  });
}
